import type { ColumnTable } from "arquero";
import type { SemanticType } from "../../api/resources.js";
import { type Diagnostic, diagnosticsOf, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { LayerOptions } from "../../layer/layer-data.js";
import { toTable, withProvenance } from "../../tables/column/table.js";
import type { History } from "../history.js";
import type { HistoryOptions } from "../history-options.js";
import { type ProgressOptions, progressRules } from "../questions/progress.js";

/** An option for all components, or one per component, by name. */
export type PerComponent<T> = T | Readonly<Record<string, T>>;

/** Options of `progress()`: those of `history.progress()`, each for all components or by component name. */
export interface SiteProgressOptions
  extends Pick<ProgressOptions, "by" | "at" | "since">,
    Partial<ByComponent<Omit<ProgressOptions, "by" | "at" | "since">>> {
  /** The property column of the stages. Default: `"STATUS"`. */
  readonly column?: PerComponent<string>;
}

/** Options that may be given by component. */
type ByComponent<Options> = { readonly [Name in keyof Options]: PerComponent<Options[Name]> };

/** Progress of a site: a row for each component and group. */
export interface SiteProgress extends ColumnTable {
  /** The stages of `history.progress()`, with `component` in front. */
  readonly stages: ColumnTable;
  /**
   * A row for each unit that several components share: `unit`, `components`, `contracted`, `earned`, `percent`,
   * `planned`, `sv`, `spi`.
   */
  readonly totals: ColumnTable;
  /**
   * Diagnostics: layers of the site that are left out, then those of the components, each with the name of its
   * component.
   */
  readonly diagnostics: readonly Diagnostic[];
}

const shared = ["by", "at", "since"] as const;

/** Implements `progress()`. */
export async function reportSite(
  data: Components | SiteOfLayers,
  given: SiteProgressOptions & SiteComponentsOptions,
): Promise<SiteProgress> {
  const names = [...Object.keys(progressRules), "column", ...(isSite(data) ? ["components", "read"] : [])];
  checkOptions<object>("progress()", given, Object.fromEntries(names.map((name) => [name, anything])));
  const { components: layers, read, ...options } = given ?? {};
  const { histories, diagnostics: left } = isSite(data)
    ? await siteComponents(data, { ...(layers && { components: layers }), ...(read && { read }) }, (name, all) =>
        String(ofComponent("column", options.column, name, all) ?? "STATUS"),
      )
    : { histories: data, diagnostics: [] };
  const components = Object.entries(histories ?? {});
  if (components.length === 0) {
    throw new ArgumentError("progress(): histories are missing.", {
      hint: 'Pass them by component: progress({ Trenches: await site.history("TRENCHES") }, { … }).',
    });
  }
  const all = components.map(([name]) => name);
  const tables = components.map(([name, history]) => {
    if (typeof history?.progress !== "function") {
      throw new ArgumentError(`progress(): ${showValue(name)} is not a history: ${showValue(history)}.`, {
        hint: `Pass { ${name}: await layer.history() }.`,
        facts: { component: name },
      });
    }
    const componentOptions = Object.fromEntries(
      Object.entries(options).map(([option, value]) => [option, ofComponent(option, value, name, all)]),
    );
    const { column = "STATUS", ...rest } = componentOptions as ProgressOptions & { readonly column?: string };
    requireGoal(name, options, rest, isSite(data) && layers === undefined ? all : undefined);
    return { name, table: progressOf(name, () => history.progress(column, rest)) };
  });
  const join = (parts: readonly { readonly name: string; readonly table: ColumnTable }[]) => {
    const columns = parts[0]?.table.columnNames() ?? [];
    const valuesOf = (column: string) =>
      parts.flatMap(({ table }) => Array.from(table.array(column) as Iterable<unknown>));
    return toTable([
      ["component", parts.flatMap(({ name, table }) => Array.from({ length: table.numRows() }, () => name))],
      ...columns.map((column) => [column, valuesOf(column)] as const),
    ]);
  };
  const table = join(tables);
  const staged = tables.filter(({ table }) => table.stages.numRows() > 0);
  const parts = {
    stages: join((staged.length > 0 ? staged : tables).map(({ name, table }) => ({ name, table: table.stages }))),
    totals: toTable(totalColumns(table)),
  };
  const ofTables = tables.flatMap(({ name, table }) =>
    diagnosticsOf(table).map((diagnostic) => ({ ...diagnostic, message: `${name}: ${diagnostic.message}` })),
  );
  const { provenance } = (components[0] as (typeof components)[number])[1];
  for (const one of [table, parts.stages, parts.totals]) withProvenance(one, provenance);
  return Object.assign(table, { ...parts, diagnostics: [...left, ...ofTables, ...unknownUnits(table)] });
}

/** @throws ArgumentError with the name of the component */
function progressOf<T>(component: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new ArgumentError(`progress(): ${component}: ${error.message.replace("progress(): ", "")}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      facts: { ...error.facts, component },
      cause: error,
    });
  }
}

/**
 * Options that are objects themselves, with a check that distinguishes one object for all components from an object by
 * component.
 */
const wholes: Readonly<Record<string, (given: object) => boolean>> = {
  credits: (given) => Object.values(given).some((share) => typeof share !== "object" || share === null),
  calendar: (given) => "timeZone" in given,
};

/**
 * The value of an option for a component.
 *
 * @throws ArgumentError for an object with a key that is not a component
 */
function ofComponent(option: string, value: unknown, component: string, names: readonly string[]): unknown {
  const isPlain = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain || shared.some((name) => name === option)) return value;
  const given = Object.keys(value);
  if (given.length === 0) return value;
  const unknown = given.find((name) => !names.includes(name));
  if (unknown === undefined) return (value as Readonly<Record<string, unknown>>)[component];
  if (wholes[option]?.(value) && !given.some((name) => names.includes(name))) return value;
  throw new ArgumentError(`progress(): unknown component ${showValue(unknown)} in \`${option}\`.`, {
    hint: nameHint(unknown, names),
    facts: { option, component: unknown },
  });
}

/** Options that define what is done. */
const goals = ["stages", "credits", "done"] as const;

/**
 * @param componentOptions the options of the component
 * @param layers names of the available layers; undefined if the caller chose them
 * @throws ArgumentError if options define what is done, but not for this component
 */
function requireGoal(
  component: string,
  options: SiteProgressOptions,
  componentOptions: ProgressOptions,
  layers: readonly string[] | undefined,
): void {
  const given = goals.filter((name) => options[name] !== undefined);
  const [first] = given;
  if (first === undefined || goals.some((name) => componentOptions[name] !== undefined)) return;
  const of = showValue(component);
  const [have, goal] = [given.length === 1 ? "has" : "have", given.map((name) => `\`${name}\``).join(" and ")];
  const chosen = layers?.filter((name) => Object.hasOwn(Object(options[first]), name)) ?? [];
  const less =
    chosen.length > 0
      ? `choose components: { components: [${chosen.map((name) => showValue(name)).join(", ")}] }`
      : "remove the component";
  throw new ArgumentError(`progress(): ${goal} ${have} no entry for ${of}.`, {
    hint: `Add it: { ${first}: { ${of}: … } }, or ${less}.`,
    facts: { option: first, component },
  });
}

function totalColumns(table: ColumnTable): readonly (readonly [string, readonly unknown[]])[] {
  const rows = table.objects() as readonly Readonly<Record<string, unknown>>[];
  const units = [...new Set(rows.map(({ unit }) => unit))].filter((unit) => unit !== "features" && unit !== null);
  const totals = units.flatMap((unit) => {
    const rowsOfUnit = rows.filter((row) => row["unit"] === unit);
    const components = new Set(rowsOfUnit.map(({ component }) => component)).size;
    if (components < 2) return [];
    const sum = (column: string) => rowsOfUnit.reduce((all, row) => all + Number(row[column]), 0);
    const planned = rowsOfUnit.every((row) => row["planned"] !== null) ? sum("planned") : null;
    return [{ unit, components, contracted: sum("contracted"), earned: sum("earned"), planned }];
  });
  return [
    ["unit", totals.map(({ unit }) => unit)],
    ["components", totals.map(({ components }) => components)],
    ["contracted", totals.map(({ contracted }) => contracted)],
    ["earned", totals.map(({ earned }) => earned)],
    ["percent", totals.map(({ earned, contracted }) => (contracted > 0 ? (100 * earned) / contracted : 0))],
    ["planned", totals.map(({ planned }) => planned)],
    ["sv", totals.map(({ earned, planned }) => (planned === null ? null : earned - planned))],
    ["spi", totals.map(({ earned, planned }) => (planned ? earned / planned : null))],
  ];
}

/** Components that are missing from all totals, if there are other components to add them to. */
function unknownUnits(table: ColumnTable): readonly Diagnostic[] {
  const rows = table.objects() as readonly Readonly<Record<string, unknown>>[];
  const weighed = rows.filter(({ unit }) => unit !== "features");
  const components = [...new Set(weighed.map(({ component }) => component))];
  const unknown = [...new Set(weighed.filter(({ unit }) => unit === null).map(({ component }) => component))];
  if (components.length < 2 || unknown.length === 0) return [];
  const have = unknown.length === 1 ? "has" : "have";
  return [
    withSeverity({
      code: "unit-unknown",
      message: `${unknown.join(", ")} ${have} weights without a unit and cannot be added to a total. Pass { unit: { ${showValue(unknown[0])}: "m" } }.`,
      count: unknown.length,
      facts: { components: unknown },
    }),
  ];
}

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
function isSite(given: unknown): given is SiteOfLayers {
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
async function siteComponents(
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
  const matches = types.filter(isComponent);
  const histories: Record<string, History<ColumnTable, unknown>> = {};
  const diagnostics = untyped.length === 0 ? [] : [untypedDiagnostic(untyped)];
  for (const type of matches) {
    const history = await site.history(type, read);
    const column = columnOf(type, matches);
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
