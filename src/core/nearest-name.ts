import { showValue } from "./show-value.js";

/** Minimum number of characters per typo; more typos make a different name. */
const LETTERS_PER_SLIP = 3;

/**
 * Returns the name that was probably meant: the known name with the fewest characters to add, remove, replace or swap,
 * ignoring case. The first one of equally near names.
 *
 * @returns undefined if none is near: more than one character in three would differ
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  const lowered = given.toLowerCase();
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const most = Math.max(1, Math.floor(name.length / LETTERS_PER_SLIP));
    if (Math.abs(name.length - lowered.length) > most) continue;
    const slips = countSlips(lowered, name.toLowerCase());
    if (slips > most || slips >= fewest) continue;
    nearest = name;
    fewest = slips;
  }
  return nearest;
}

/** Shorter names may differ by one character without a typo: `A` and `B`. */
const SHORTEST_MISSPELLED = 4;

/**
 * Returns the known value of which another is probably a misspelling, not the next of a series (`PHASE_1` and
 * `PHASE_2`).
 *
 * @param missing values that are passed together: known values among them are correct
 */
export function misspelledValue(
  given: unknown,
  names: Iterable<unknown>,
  missing: readonly unknown[],
): string | undefined {
  if (typeof given !== "string") return undefined;
  const withoutDigits = (text: string) => text.replace(/\d+/g, "0");
  const candidates = Array.from(names).filter(
    (name): name is string =>
      typeof name === "string" &&
      name.length >= SHORTEST_MISSPELLED &&
      !missing.includes(name) &&
      withoutDigits(name) !== withoutDigits(given),
  );
  return nearestName(given, candidates);
}

/** Optimal string alignment: number of edits between two strings, without editing a character twice. */
function countSlips(a: string, b: string): number {
  let [before, above]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const replaced = at(above, column - 1) + Number(!isSame);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(at(above, column) + 1, at(current, column - 1) + 1, replaced, swapped));
    }
    [before, above] = [above, current];
  }
  return at(above, b.length);
}

function at(counts: readonly number[], index: number): number {
  return counts[index] ?? Number.POSITIVE_INFINITY;
}

const MOST = 3;
/** A part below this share of a name matches by chance: `id` in `valid_from`. */
const LEAST_PART = 1 / 3;

/**
 * Returns the names that were probably meant: the one with the fewest typos, then names that contain the given name or
 * are contained in it, ignoring case.
 */
export function nearNames(given: string, names: readonly string[]): readonly string[] {
  const lowered = given.trim().toLowerCase();
  const nearest = nearestName(given, names);
  const parts = names.filter((name) => {
    const folded = name.toLowerCase();
    const isPart = lowered.includes(folded) && folded.length >= lowered.length * LEAST_PART;
    return lowered !== "" && (folded.includes(lowered) || isPart);
  });
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...parts])].slice(0, MOST);
}

/**
 * Returns a hint for an unknown name: the name that was probably meant, and the existing names.
 *
 * @param given any value from the user
 * @param all a sentence that lists the names
 */
export function nameHint(
  given: unknown,
  names: readonly string[],
  all = `There are: ${names.map((name) => showValue(name)).join(", ")}.`,
): string {
  const meant = typeof given === "string" ? nearestName(given, names) : undefined;
  return meant === undefined ? all : `Did you mean ${showValue(meant)}? ${all}`;
}
