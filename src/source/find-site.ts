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
export function findSite(table: RowTable<SiteRow>, wanted: number | string): SiteRow {
  const sites = table.objects();
  if (typeof wanted !== "number" && typeof wanted !== "string") {
    throw new ArgumentError(`site(): invalid site ${showValue(wanted)}.`);
  }
  const found =
    typeof wanted === "number" ? sites.filter(({ id }) => id === wanted) : byName(sites, ({ name }) => name, wanted);
  const [site] = found;
  if (site && found.length === 1) return site;
  if (site) {
    const ids = found.map(({ id }) => id);
    throw new ArgumentError(`${found.length} sites are called ${showValue(wanted)}.`, {
      hint: `Pass an id: ${ids.join(", ")}.`,
      facts: { site: wanted, ids },
    });
  }
  const names = sites.map(({ name }) => name).filter((name) => typeof name === "string");
  const near = nearNames(String(wanted), typeof wanted === "number" ? sites.map(({ id }) => `${id}`) : names);
  throw new ArgumentError(`Unknown site ${showValue(wanted)}.`, {
    hint: nearNamesHint(
      near,
      sites.map(({ id, name }) => `${typeof name === "string" ? showValue(name) : valueKind(name)} (${id})`),
    ),
    facts: { site: wanted, near },
  });
}

/**
 * Items with this name; else items whose name is the same text in other code points (a letter and its accent can be one
 * or two code points), else items whose name differs only in case.
 */
export function byName<T>(all: readonly T[], nameOf: (one: T) => string | null, wanted: string): readonly T[] {
  const composed = (text: string) => text.normalize("NFC");
  const folded = (text: string) => composed(composed(text).toLowerCase());
  const trimmed = wanted.trim();
  const tests: readonly ((name: string) => boolean)[] = [
    (name) => name === wanted,
    (name) => composed(name) === composed(wanted),
    (name) => folded(name) === folded(trimmed),
  ];
  for (const isMeant of tests) {
    const found = all.filter((one) => {
      const name: unknown = nameOf(one);
      return typeof name === "string" && isMeant(name);
    });
    if (found.length > 0) return found;
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
