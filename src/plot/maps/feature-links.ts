import { ArgumentError } from "../../core/errors.js";
import type { OptionRule } from "../../core/options.js";
import { valueKind } from "../../core/show-record-value.js";
import { isWebAddress } from "../../core/url-checks.js";
import type { TableRows } from "../values/table-rows.js";
import type { MapFeature } from "./map-features.js";

/**
 * Returns the URL of a feature in another application; null or undefined for no link.
 *
 * @param row the values of its row by column name
 */
export type LinkFeature = (row: Readonly<Record<string, unknown>>) => string | null | undefined;

/** URL with column names in braces, or a function. */
export type FeatureHref = string | LinkFeature;

export const featureHref: OptionRule = {
  takes: "a string such as https://example.com/features/{id}, or a function of the row",
  accepts: (value) => typeof value === "function" || (typeof value === "string" && value !== ""),
};

/**
 * The URLs of features; an empty string means no link.
 *
 * @throws ArgumentError for an invalid web address, and for an unknown column in braces
 */
export function featureLinks(
  href: FeatureHref | undefined,
  rows: TableRows,
  features: readonly MapFeature[],
): readonly string[] | undefined {
  if (href === undefined) return undefined;
  const linkOf = typeof href === "string" ? templateLinks(href, rows) : ofRows(href, rows);
  return features.map(({ row }) => {
    const link = linkOf(row);
    if (link === null || link === undefined || link === "") return "";
    if (typeof link === "string" && isWebAddress(link)) return link;
    throw new ArgumentError(`href of row ${row} is ${valueKind(link)}, not a web address.`, {
      hint: "Use URLs that begin with https:// or http://.",
      facts: { option: "href", row },
    });
  });
}

function ofRows(href: LinkFeature, rows: TableRows): (row: number) => unknown {
  const columns = rows.names.map((name) => [name, rows.column(name)] as const);
  return (row) => href(Object.fromEntries(columns.map(([name, at]) => [name, at(row)])));
}

function templateLinks(template: string, rows: TableRows): (row: number) => string | undefined {
  // The captured groups of the split are the names.
  const parts = template.split(/\{([^{}]+)\}/);
  const columns = parts.map((name, index) => (index % 2 === 1 ? rows.column(name) : undefined));
  return (row) => {
    const texts = parts.map((text, index) => {
      const at = columns[index];
      if (!at) return text;
      const value = at(row);
      return value === null || value === undefined ? undefined : encodeURIComponent(String(value));
    });
    return texts.includes(undefined) ? undefined : texts.join("");
  };
}
