import type { ColumnTable } from "arquero";
import type { SemanticType } from "../../api/resources.js";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { showValue } from "../../core/show-value.js";
import type { LayerOptions } from "../../layer/layer-data.js";
import type { History } from "../history.js";
import type { HistoryOptions } from "../history-options.js";

/** Histories by the names of their components. */
export type Components = Readonly<Record<string, History<ColumnTable, unknown>>>;

/** A site whose layers are asked by name: `await source.site("…")`. */
export interface SiteOfLayers {
  /** Its name. */
  readonly name: string;
  /** Its layers: `name`, `semantic_type`, one row each. */
  layers(): Promise<ColumnTable>;
  /** The history of a layer. */
  history(name: SemanticType, options?: LayerOptions & HistoryOptions): Promise<History<ColumnTable, unknown>>;
}

/** Which layers of a site are its components. */
export interface SiteComponentsOptions {
  /**
   * Layers by the names of their components, `{ Trenches: "TRENCHES" }`, or a list of layers; by default all layers of the
   * site that hold components of it and have the column of the stages.
   */
  readonly components?: Readonly<Record<string, SemanticType>> | readonly SemanticType[];
  /** How their histories are read: options of `site.history()`, such as `timeZone`. */
  readonly read?: LayerOptions & HistoryOptions;
}

/** Whether it is a site, and not histories by their names. */
export function isSite(given: unknown): given is SiteOfLayers {
  const { layers, history } = Object(given) as Readonly<Record<string, unknown>>;
  return typeof layers === "function" && typeof history === "function";
}

/** What is said about components, found on them, or a picture of the ground: no part that is built. */
const noComponents = new Set([
  "ANNOTATIONS",
  "DEVIATIONS",
  "DIGITAL_SURFACE_MODEL",
  "PUNCH_LIST_ITEMS",
  "RGB",
  "THERMAL",
]);

function isComponent(type: string): boolean {
  return !noComponents.has(type) && !type.endsWith("_ANOMALIES");
}

/**
 * The histories of a site's components.
 *
 * @param columnOf the column of the stages of each component
 * @throws ArgumentError for a layer that the site does not have, and for a site without components
 */
export async function siteComponents(
  site: SiteOfLayers,
  { components, read }: SiteComponentsOptions,
  columnOf: (component: string, all: readonly string[]) => string,
): Promise<{ readonly histories: Components; readonly findings: readonly Finding[] }> {
  if (components !== undefined) {
    const histories: Record<string, History<ColumnTable, unknown>> = {};
    for (const [name, layer] of namedLayers(components)) histories[name] = await site.history(layer, read);
    return { histories, findings: [] };
  }
  const layers = (await site.layers()).objects() as readonly Readonly<Record<string, unknown>>[];
  const untyped = layers.filter(({ semantic_type }) => semantic_type === null).map(({ name }) => String(name));
  const types = [...new Set(layers.flatMap(({ semantic_type: type }) => (typeof type === "string" ? [type] : [])))];
  const found = types.filter(isComponent);
  const histories: Record<string, History<ColumnTable, unknown>> = {};
  const findings = untyped.length === 0 ? [] : [untypedFinding(untyped)];
  for (const type of found) {
    const history = await site.history(type, read);
    const column = columnOf(type, found);
    if (history.columns.includes(column)) histories[type] = history;
    else findings.push(withoutColumn(type, column, history.columns));
  }
  if (Object.keys(histories).length > 0) return { histories, findings };
  throw new ArgumentError(`${site.name} has no layer of components whose progress can be told.`, {
    hint: [...findings.map(({ message }) => message), 'Name layers: { components: { Trenches: "TRENCHES" } }.'].join(
      " ",
    ),
    facts: { site: site.name, semanticTypes: types },
  });
}

function namedLayers(given: NonNullable<SiteComponentsOptions["components"]>): readonly (readonly [string, string])[] {
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(given)
    ? given.map((layer: unknown) => [String(layer), layer] as const)
    : Object.entries(Object(given));
  const isText = (entry: readonly [string, unknown]): entry is readonly [string, string] =>
    typeof entry[1] === "string";
  if (entries.length > 0 && entries.every(isText)) return entries;
  throw new ArgumentError(`progress(): components takes layers by their names, got ${showValue(given)}.`, {
    hint: 'Name some: { components: { Trenches: "TRENCHES", Panels: "SOLAR_PANELS" } }.',
    facts: { option: "components" },
  });
}

function withoutColumn(layer: string, column: string, columns: readonly string[]): Finding {
  const has = columns.length === 0 ? "no properties" : columns.map((name) => showValue(name)).join(", ");
  const message = `${layer} is left out: it has no column ${showValue(column)}, but ${has}.`;
  return { code: "component-left-out", message, facts: { layer, column } };
}

function untypedFinding(layers: readonly string[]): Finding {
  const names = layers.map((name) => showValue(name)).join(", ");
  const message = `${names} ${layers.length === 1 ? "is" : "are"} left out: nothing says what the features represent. Name such layers in components.`;
  return { code: "component-left-out", message, count: layers.length, facts: { layers } };
}
