import type { ResolvedFilters } from "../../api/params.js";
import type { Dataset, Site } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";
import { compareText } from "../../core/json/json.js";
import { nearestName } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import type { ReadOptions } from "../ask/read-options.js";
import type { Reader } from "./reader.js";

/** Names that are looked up, and shown, at most: a hint is not worth a sweep. */
const MOST = 20;

/** What a record says of where it belongs and what it is. */
export type Named = Pick<Dataset, "site_id" | "semantic_type">;

/**
 * Sites and semantic types that filters name and nothing has, with those that there are and were probably meant.
 *
 * @param others records whose names there are, too, beside those of sites and datasets
 */
export async function unknownNames(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
  others: readonly Named[],
): Promise<readonly Finding[]> {
  const sites = (filters.get("site_id") ?? []).filter((value) => typeof value === "number").slice(0, MOST);
  const types = (filters.get("semantic_type") ?? []).filter((value) => typeof value === "string").slice(0, MOST);
  const isLive = reader.origin.kind === "live";
  // The service lists every site that there is; records in memory may do without sites.
  const isNeeded = types.length > 0 || (sites.length > 0 && !isLive);
  const named = isNeeded ? [...(await reader.all("datasets", new Map(), options)).rows, ...others] : [];
  const listed = sites.length > 0 ? (await reader.all("sites", new Map(), options)).rows : [];
  const known = distinct(named.flatMap(({ semantic_type }) => semantic_type ?? [])).sort(compareText);
  const absent = types.filter((type) => !known.includes(type));
  const unused = absent.length > 0 && (await areUnused(reader, absent, options)) ? absent : [];
  return [...unknownSites(sites, listed, named, isLive), ...unknownTypes(unused, known, isLive)];
}

/** Whether no feature has these types: a key might see features of datasets that it does not see. */
async function areUnused(reader: Reader, semantic_type: readonly string[], options: ReadOptions): Promise<boolean> {
  const params = { filters: new Map([["semantic_type", semantic_type]]), sort: [] };
  for await (const { pagination } of reader.pages("layerFeatures", params, { ...options, pageSize: 1 })) {
    return pagination.rowCount === 0;
  }
  return true;
}

function unknownSites(
  asked: readonly number[],
  sites: readonly Site[],
  named: readonly Named[],
  isLive: boolean,
): readonly Finding[] {
  const names = new Map<number, string>();
  for (const { site_id } of named) if (site_id !== null) names.set(site_id, `${site_id}`);
  for (const { id, name } of sites) names.set(id, `${id} (${showName(name)})`);
  const absent = asked.filter((id) => !names.has(id));
  if (absent.length === 0) return [];
  const known = [...names.keys()].sort((a, b) => a - b);
  const nearest = distinct(absent.flatMap((id) => nearestName(String(id), known.map(String)) ?? []));
  const many = absent.length > 1;
  const what = `${many ? "sites" : "site"} ${absent.join(", ")}`;
  const why = isLive
    ? `The key cannot see ${many ? "the " : ""}${what}, or ${many ? "they do" : "it does"} not exist.`
    : `There ${many ? "are" : "is"} no ${what}.`;
  return [
    {
      code: "site-not-found",
      message: `${why}${meant(nearest)}${list(known.map((id) => names.get(id) ?? ""))}`,
      count: absent.length,
      facts: { id: absent, nearest: nearest.map(Number), known: known.slice(0, MOST) },
    },
  ];
}

function unknownTypes(absent: readonly string[], known: readonly string[], isLive: boolean): readonly Finding[] {
  if (absent.length === 0) return [];
  const nearest = distinct(absent.flatMap((type) => nearestName(type, known) ?? []));
  const what = `the semantic type${absent.length > 1 ? "s" : ""} ${absent.map((type) => showValue(type)).join(", ")}`;
  return [
    {
      code: "semantic-type-not-found",
      message: `Nothing ${isLive ? "that the key can see " : ""}has ${what}.${meant(nearest.map((type) => showValue(type)))}${list(known.map(showName))}`,
      count: absent.length,
      facts: { semantic_type: absent, nearest, known: known.slice(0, MOST) },
    },
  ];
}

function meant(nearest: readonly string[]): string {
  return nearest.length === 0 ? "" : ` Did you mean ${nearest.join(", ")}?`;
}

function list(names: readonly string[]): string {
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
  return names.length === 0 ? "" : ` There are: ${names.slice(0, MOST).join(", ")}${more}.`;
}

function showName(name: string): string {
  return showValue(name).slice(1, -1);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
