import { nearestName } from "./nearest-name.js";

const MOST = 3;

/**
 * The names that were probably meant: the one with the fewest slips, then those of which a part was given, or that are a
 * part of what was given, whatever their case.
 */
export function nearNames(given: string, known: readonly string[]): readonly string[] {
  const wanted = given.trim().toLowerCase();
  const nearest = nearestName(given, known);
  const parts = known.filter((name) => {
    const folded = name.toLowerCase();
    return wanted !== "" && (folded.includes(wanted) || wanted.includes(folded));
  });
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...parts])].slice(0, MOST);
}
