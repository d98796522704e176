import { firstOf } from "../core/counted.js";
import { ArgumentError } from "../core/errors.js";
import { nearNames } from "../core/nearest-name.js";
import { valueKind } from "../core/show-record-value.js";
import { showValue } from "../core/show-value.js";
import type { ResourceRow, RowTable } from "../tables/column/row-table.js";

type SiteRow = ResourceRow<"sites">;

/**
 * Returns the site with an id or a name. An exact match of the name wins over other cases.
 *
 * @throws ArgumentError if no site or several sites match
 */
export function findSite(table: RowTable<SiteRow>, nameOrId: number | string): SiteRow {
  const sites = table.objects();
  if (typeof nameOrId !== "number" && typeof nameOrId !== "string") {
    throw new ArgumentError(`site(): invalid site ${showValue(nameOrId)}.`);
  }
  const matches =
    typeof nameOrId === "number"
      ? sites.filter(({ id }) => id === nameOrId)
      : byName(sites, ({ name }) => name, nameOrId);
  const [site] = matches;
  if (site && matches.length === 1) return site;
  if (site) {
    const ids = matches.map(({ id }) => id);
    throw new ArgumentError(`${matches.length} sites are called ${showValue(nameOrId)}.`, {
      hint: `Pass an id: ${ids.join(", ")}.`,
      facts: { site: nameOrId, ids },
    });
  }
  const names = sites.map(({ name }) => name).filter((name) => typeof name === "string");
  const near = nearNames(String(nameOrId), typeof nameOrId === "number" ? sites.map(({ id }) => `${id}`) : names);
  throw new ArgumentError(`Unknown site ${showValue(nameOrId)}.`, {
    hint: nearNamesHint(
      near,
      sites.map(({ id, name }) => `${typeof name === "string" ? showValue(name) : valueKind(name)} (${id})`),
    ),
    facts: { site: nameOrId, near },
  });
}

/**
 * Items with this name; else items whose name is the same text in other code points (a letter and its accent can be one
 * or two code points), else items whose name differs only in case.
 */
export function byName<T>(all: readonly T[], nameOf: (one: T) => string | null, sought: string): readonly T[] {
  const composed = (text: string) => text.normalize("NFC");
  const folded = (text: string) => composed(composed(text).toLowerCase());
  const trimmed = sought.trim();
  const tests: readonly ((name: string) => boolean)[] = [
    (name) => name === sought,
    (name) => composed(name) === composed(sought),
    (name) => folded(name) === folded(trimmed),
  ];
  for (const isMeant of tests) {
    const matches = all.filter((one) => {
      const name: unknown = nameOf(one);
      return typeof name === "string" && isMeant(name);
    });
    if (matches.length > 0) return matches;
  }
  return [];
}

const MOST_NAMES = 10;

/** A hint with similar names, or else the first of all names. */
export function nearNamesHint(near: readonly string[], all: readonly string[]): string {
  if (near.length > 0) return `Did you mean ${near.map((name) => showValue(name)).join(" or ")}?`;
  if (all.length === 0) return "The API key can read none.";
  return `Available: ${firstOf(all, MOST_NAMES)}.`;
}
