import type { ColumnTable } from "arquero";
import type { SemanticType } from "../../api/resources.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import type { LayerOptions } from "../../layer/layer-data.js";
import type { History } from "../history.js";
import type { HistoryOptions } from "../history-options.js";

/** Histories by component name. */
export type Components = Readonly<Record<string, History<ColumnTable, unknown>>>;

/** A site with layers by name: `await source.site("…")`. */
export interface SiteOfLayers {
  /** Name of the site. */
  readonly name: string;
  /** Its layers: `name`, `semantic_type`, one row each. */
  layers(): Promise<ColumnTable>;
  /** Returns the history of a layer. */
  history(name: SemanticType, options?: LayerOptions & HistoryOptions): Promise<History<ColumnTable, unknown>>;
}

/** Which layers of a site are its components. */
export interface SiteComponentsOptions {
  /**
   * Layers by component name, `{ Trenches: "TRENCHES" }`, or a list of layers. Default: all layers of the site with
   * components and the column of the stages.
   */
  readonly components?: Readonly<Record<string, SemanticType>> | readonly SemanticType[];
  /** Options of `site.history()` for reading the histories, such as `timeZone`. */
  readonly read?: LayerOptions & HistoryOptions;
}

/** Whether the value is a site, and not histories by name. */
export function isSite(given: unknown): given is SiteOfLayers {
  const { layers, history } = Object(given) as Readonly<Record<string, unknown>>;
  return typeof layers === "function" && typeof history === "function";
}

/** Layers that hold no built parts: notes about components, defects found on them, or pictures of the basemap. */
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
 * @param columnOf returns the column of the stages of each component
 * @throws ArgumentError for a layer that the site does not have, and for a site without components
 */
export async function siteComponents(
  site: SiteOfLayers,
  { components, read }: SiteComponentsOptions,
  columnOf: (component: string, all: readonly string[]) => string,
): Promise<{ readonly histories: Components; readonly diagnostics: readonly Diagnostic[] }> {
  if (components !== undefined) {
    const histories: Record<string, History<ColumnTable, unknown>> = {};
    for (const [name, layer] of namedLayers(components)) histories[name] = await site.history(layer, read);
    return { histories, diagnostics: [] };
  }
  const layers = (await site.layers()).objects() as readonly Readonly<Record<string, unknown>>[];
  const untyped = layers.filter(({ semantic_type }) => semantic_type === null).map(({ name }) => String(name));
  const types = [...new Set(layers.flatMap(({ semantic_type: type }) => (typeof type === "string" ? [type] : [])))];
  const found = types.filter(isComponent);
  const histories: Record<string, History<ColumnTable, unknown>> = {};
  const diagnostics = untyped.length === 0 ? [] : [untypedDiagnostic(untyped)];
  for (const type of found) {
    const history = await site.history(type, read);
    const column = columnOf(type, found);
    if (history.columns.includes(column)) histories[type] = history;
    else diagnostics.push(withoutColumn(type, column, history.columns));
  }
  if (Object.keys(histories).length > 0) return { histories, diagnostics };
  throw new ArgumentError(`progress(): ${site.name} has no layers with progress.`, {
    hint: [
      ...diagnostics.map(({ message }) => message),
      'Choose layers: { components: { Trenches: "TRENCHES" } }.',
    ].join(" "),
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
  throw new ArgumentError(`progress(): invalid components: ${showValue(given)}.`, {
    hint: 'Pass layers by name: { components: { Trenches: "TRENCHES", Panels: "SOLAR_PANELS" } }.',
    facts: { option: "components" },
  });
}

function withoutColumn(layer: string, column: string, columns: readonly string[]): Diagnostic {
  const has =
    columns.length === 0 ? "It has no properties." : `It has: ${columns.map((name) => showValue(name)).join(", ")}.`;
  const message = `${layer} is excluded, because it has no column ${showValue(column)}. ${has}`;
  return withSeverity({ code: "component-excluded", message, facts: { layer, column } });
}

function untypedDiagnostic(layers: readonly string[]): Diagnostic {
  const names = layers.map((name) => showValue(name)).join(", ");
  const message = `${names} ${layers.length === 1 ? "is" : "are"} excluded, because the type of the features is unknown. To include such layers, add them to \`components\`.`;
  return withSeverity({ code: "component-excluded", message, count: layers.length, facts: { layers } });
}
