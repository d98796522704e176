import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { canonicalJson, compareText } from "../core/json.js";
import { nearestName } from "../core/nearest-name.js";
import { anything, checkOptions, numeric, type OptionRule, type OptionRules, text } from "../core/options.js";
import { isShare, shareHint } from "../core/share.js";
import { showValue } from "../core/show-value.js";
import { toTable, withProvenance } from "../tables/column/table.js";
import {
  type Case,
  caseDiagnostics,
  type InspectionDimension,
  type InspectionOptions,
  isCount,
  isPositive,
  listedClasses,
  type PeakPowerSource,
  readCases,
} from "./anomaly-cases.js";
import {
  type CaptureLine,
  type CaptureOptions,
  type CaptureStatus,
  captureRules,
  type NamedCapture,
  requireColumn,
  resolveCaptures,
  type Sighting,
} from "./captures.js";
import { followCaptures } from "./compare-captures.js";
import { InspectionRecord, recordColumns, recordedNames, recordRules } from "./inspection-record.js";
import type { Layer } from "./layer.js";
import { isLayer } from "./lookup-relation.js";
import type { SurveyAreas } from "./survey-area.js";

/** Result of an inspection: one row for each group of anomalies. */
export interface Inspection extends ColumnTable {
  /** The same figures for all anomalies of a capture: one row for each capture in the rows. */
  readonly totals: ColumnTable;
  /** Groups by status: the groups' columns, `change`, `anomalies`, `modules`, `affected_kw`, `without_power`. */
  readonly changes: ColumnTable;
  /**
   * One row per capture and chain, as in `compareCaptures()`, with the values that were summed: `capture`, `chain`, `change`,
   * `id`, `visible_id`, `previous_id`, `class`, `severity`, `block`, `modules`, `rated_power_w`, `factor`, `affected_kw`,
   * `marked_fixed`, `delta_t` (K), `delta_t_1000` (K at 1000 W/m², proportional to the irradiance; null if the irradiance
   * is not recorded), `row`, `string`, `module`, `longitude`, `latitude`, `thermal_image`, `rgb_image`. If a capture does not
   * show a chain, the values are those of the previous sighting.
   */
  readonly anomalies: ColumnTable;
  /**
   * The conditions of each capture: `capture`, `irradiance`, `wind_speed`, `cloud_cover`, `ambient_temperature`, `camera`,
   * `distance`, `pilot`, `minimum_irradiance`, `irradiance_verdict` (`met`, `not met` or `not recorded`).
   */
  readonly conditions: ColumnTable;
  /**
   * The contents that IEC TS 62446-3 recommends for a report: `capture`, `item`, `value`. The value is a condition with its
   * unit, the number of anomalies with the item, or `not recorded`.
   */
  readonly documentation: ColumnTable;
  /** Anomalies without a factor, modules, power or severity, a missing peak power, and the diagnostics of `compareCaptures()`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Implementation of `inspection()`. */
export async function inspectCaptures(layers: readonly Layer[], options: InspectionOptions): Promise<Inspection> {
  checkOptions(CALL, options, { ...captureRules, ...inspectionRules });
  const given = { ...options };
  if (!text.accepts(given.classColumn)) {
    throw new ArgumentError(`${CALL}: classColumn must be the name of a column, got ${showValue(given.classColumn)}.`, {
      hint: 'Set the column with the class of an anomaly: { classColumn: "Class" }.',
    });
  }
  if (!Array.isArray(layers) || layers.length === 0 || layers.some((layer) => !isLayer(layer))) {
    throw new ArgumentError(`${CALL} needs an array of layers, got ${showValue(layers)}.`, {
      hint: "Pass one layer per capture, oldest first.",
    });
  }
  const resolved = resolveCaptures(layers.length, given);
  const { labels } = resolved;
  const by = dimensions(given);
  const inspected = inspectedModules(given.modulesInspected, layers.length);
  const { classColumn, severityColumn, modules, ratedPower, blockColumn } = given;
  for (const name of [classColumn, severityColumn, modules, ratedPower, blockColumn, ...recordColumns(given)]) {
    if (typeof name !== "string") continue;
    requireColumn(
      layers.flatMap(({ table }) => table.columnNames()),
      name,
    );
  }
  const followed = await followCaptures(CALL, layers, resolved);
  const { captures, lines, flown } = followed;
  const record = new InspectionRecord(CALL, layers, captures, given);
  const cases = layers.map((layer, index) => readCases(layer, given, blockReader(index, captures, flown)));
  const items = lines.map((line): Item => {
    // A line has a sighting now, or a previous one.
    const { capture, row } = (line.now ?? line.previous) as Sighting;
    return { line, case: cases[capture]?.[row] as Case };
  });
  const peak = await peakPower(layers, given.peakPower);
  const measures: Measures = { ...given, peakMwp: peak.mwp, inspected, hasCoverage: flown !== undefined };
  const last = layers.at(-1) as Layer;
  const proven = {
    ...last.provenance,
    assumptions: assumptionsOf({ ...given, labels, by, maxMeters: given.maxMeters }, peak, flown),
  };
  const tableOf = (columns: Columns) => withProvenance(toTable(columns), proven);
  const selected = by.includes("capture") ? items : items.filter(({ line }) => line.index === layers.length - 1);
  const indices = by.includes("capture") ? labels.map((_, index) => index) : [layers.length - 1];
  const groups = groupsOf(selected, by, indices);
  const totals = groupsOf(selected, ["capture"], indices);
  const diagnostics = [
    ...followed.diagnostics,
    ...caseDiagnostics(cases.flat(), given, listedClasses(layers, given.classColumn)),
    ...peakDiagnostics(peak, totals),
  ];
  return Object.assign(tableOf(groupColumns(groups, by, labels, measures)), {
    totals: tableOf(groupColumns(totals, ["capture"], labels, measures)),
    changes: tableOf(changeColumns(groups, by, labels)),
    anomalies: tableOf(anomalyColumns(items, captures, record)),
    conditions: tableOf(record.conditionColumns()),
    documentation: tableOf(record.documentationColumns()),
    diagnostics,
  });
}

const CALL = "inspection()";

type Columns = readonly (readonly [string, readonly unknown[]])[];

const known: readonly InspectionDimension[] = ["capture", "class", "severity", "block"];

/** The rule for a number in a unit. */
function number(unit: string, accepts: (value: number) => boolean): OptionRule {
  return { ...numeric, takes: unit, accepts: (value) => numeric.accepts(value) && accepts(Number(value)) };
}

/** @param hint the fix for a refused value */
function byClassRule(
  takes: string,
  accepts: (value: unknown) => boolean,
  hint?: (value: unknown) => string,
): OptionRule & Required<Pick<OptionRule, "refusedEntry">> {
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return {
    takes,
    schema: { type: "object" },
    accepts: (value) => isObject(value) && Object.values(value).every(accepts),
    refusedEntry: (given) => {
      const entry = isObject(given) ? Object.entries(given).find(([, value]) => !accepts(value)) : undefined;
      return entry && { name: entry[0], value: entry[1], hint: hint?.(entry[1]) };
    },
  };
}

/** The rule for a number, a column, a table by class or a function. */
function anomalyNumber(what: string, accepts: (value: number) => boolean): OptionRule {
  const one = number(what, accepts);
  const byClass = byClassRule(what, one.accepts);
  return {
    takes: `${what}, a column, numbers by class, or a function of the row`,
    accepts: (value) => one.accepts(value) || text.accepts(value) || byClass.accepts(value) || isFunction(value),
    refusedEntry: byClass.refusedEntry,
  };
}

const isFunction = (value: unknown) => typeof value === "function";
const severities = byClassRule("", (value) => typeof value === "string" || typeof value === "number");

export const inspectionRules: OptionRules<Omit<InspectionOptions, keyof CaptureOptions>> = {
  classColumn: anything,
  severityColumn: {
    takes: "a column, or strings or numbers by class",
    accepts: (value) => text.accepts(value) || severities.accepts(value),
    refusedEntry: severities.refusedEntry,
  },
  factors: byClassRule("a share from 0 to 1 for each class, such as { hot_spot: 0.1, string: 1 }", isShare, (value) =>
    shareHint(value, "all of a module's power"),
  ),
  modules: anomalyNumber("0 or more", isCount),
  ratedPower: anomalyNumber("a number in W above 0", isPositive),
  yield: number("0 or more kWh per kWp", isCount),
  tariff: number("a price of a kWh", () => true),
  peakPower: {
    takes: "a number in MWp above 0, or a source or site with peak_power in its record",
    accepts: (value) => number("", isPositive).accepts(value) || isPeakPowerSource(value),
  },
  modulesInspected: {
    takes: "a number of modules above 0, or one for each layer",
    accepts: (value) => [value].flat().every(number("", isPositive).accepts),
  },
  blockColumn: text,
  by: anything,
  ...recordRules,
};

function dimensions({
  by = "capture",
  severityColumn: severity,
  blockColumn: blocks,
  surveyArea: coverage,
}: InspectionOptions): readonly InspectionDimension[] {
  const names: readonly unknown[] = Array.isArray(by) ? by : [by];
  const odd = names.find((one) => !known.some((name) => name === one));
  if (names.length === 0 || odd !== undefined || new Set(names).size !== names.length) {
    const meant = typeof odd === "string" ? nearestName(odd, known) : undefined;
    throw new ArgumentError(`${CALL}: by must be ${known.join(", ")} or an array of these, got ${showValue(by)}.`, {
      ...(meant === undefined ? {} : { hint: `Did you mean ${showValue(meant)}?` }),
      facts: { by },
    });
  }
  if (names.includes("severity") && severity === undefined) {
    throw new ArgumentError(`${CALL}: by: "severity" needs severityColumn.`, {
      hint: 'Set a column or a severity for each class: { severityColumn: "Severity" }.',
    });
  }
  if (names.includes("block") && blocks === undefined && coverage === undefined) {
    throw new ArgumentError(`${CALL}: by: "block" needs blockColumn or surveyArea.`, {
      hint: 'Set { blockColumn: "Block" } or { surveyArea: source }.',
    });
  }
  return names as readonly InspectionDimension[];
}

function inspectedModules(given: number | readonly number[] | undefined, count: number): readonly (number | null)[] {
  if (given === undefined || typeof given === "number") return Array.from({ length: count }, () => given ?? null);
  if (given.length === count) return given;
  throw new ArgumentError(
    `${CALL}: modulesInspected must have one number per layer, got ${given.length} for ${count} layers.`,
  );
}

/** A line with its anomaly. */
interface Item {
  readonly line: CaptureLine;
  readonly case: Case;
}

function blockReader(index: number, captures: readonly NamedCapture[], flown: SurveyAreas | undefined) {
  return (row: number): unknown => flown?.nameAt(index, captures[index]?.points[row] ?? null) ?? null;
}

/** Peak power of the inspected area, and its origin. */
interface PeakPower {
  readonly mwp: number | null;
  readonly from: string | null;
}

function isPeakPowerSource(value: unknown): value is PeakPowerSource {
  const { sites, record } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof sites === "function" || "peak_power" in Object(record ?? {});
}

async function peakPower(layers: readonly Layer[], given: number | PeakPowerSource | undefined): Promise<PeakPower> {
  if (given === undefined) return { mwp: null, from: null };
  if (typeof given === "number") return { mwp: given, from: "given" };
  const from = "site record";
  const values = "record" in given ? [given.record.peak_power] : await recordedPowers(layers, given);
  // Without the power of one site the total is unknown.
  const isKnown = values.length > 0 && values.every((value) => typeof value === "number" && value > 0);
  return { mwp: isKnown ? values.reduce<number>((sum, value) => sum + Number(value), 0) : null, from };
}

async function recordedPowers(
  layers: readonly Layer[],
  source: Extract<PeakPowerSource, { sites: unknown }>,
): Promise<readonly unknown[]> {
  const ofFeatures = layers.flatMap(({ table }) => Array.from<unknown>(table.column("site_id") ?? []));
  const ofDatasets = layers.flatMap(({ input: { datasets, layoutDatasetIds } }) =>
    datasets.filter(({ id }) => layoutDatasetIds.includes(id)).map(({ site_id }) => site_id),
  );
  const ids = [...new Set([...ofFeatures, ...ofDatasets])].filter((id) => typeof id === "number");
  if (ids.length === 0) return [];
  const sites = await source.sites({ id: ids });
  return sites.numRows() === ids.length ? Array.from(sites.column("peak_power") ?? []) : [];
}

/** A group of anomalies. */
interface Group {
  /** Index of the capture, in chronological order. */
  readonly index: number;
  /** One value per dimension. */
  readonly key: readonly unknown[];
  readonly items: Item[];
}

/** Groups in order of their keys. If counted by capture only, captures without anomalies have a group, too. */
function groupsOf(
  items: readonly Item[],
  by: readonly InspectionDimension[],
  indices: readonly number[],
): readonly Group[] {
  const groups = new Map<string, Group>();
  const groupOf = (index: number, key: readonly unknown[]): Group => {
    const name = canonicalJson(key);
    const group = groups.get(name) ?? { index, key, items: [] };
    groups.set(name, group);
    return group;
  };
  if (by.every((dimension) => dimension === "capture")) for (const index of indices) groupOf(index, [index]);
  for (const item of items) {
    const { index } = item.line;
    const key = by.map((dimension) => (dimension === "capture" ? index : item.case[dimension]));
    groupOf(index, key).items.push(item);
  }
  return [...groups.values()].sort((a, b) => {
    const differing = a.key.findIndex((value, index) => compareValues(value, b.key[index]) !== 0);
    return differing < 0 ? 0 : compareValues(a.key[differing], b.key[differing]);
  });
}

/** Numbers, then strings, then null. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const rank = (value: unknown) => (value === null ? 2 : typeof value === "number" ? 0 : 1);
  const text = (value: unknown) => (typeof value === "string" ? value : canonicalJson(value));
  return rank(a) - rank(b) || compareText(text(a), text(b));
}

/** Values for the figures besides the anomalies. */
interface Measures extends Pick<InspectionOptions, "yield" | "tariff"> {
  readonly peakMwp: number | null;
  /** Modules by capture. */
  readonly inspected: readonly (number | null)[];
  readonly hasCoverage: boolean;
}

/** The sum of the known values; null if there are values, but all are unknown. */
function sumKnown(items: readonly Item[], read: (one: Case) => number | null): number | null {
  const values = items.map((item) => read(item.case)).filter((value) => value !== null);
  if (values.length === 0 && items.length > 0) return null;
  return values.reduce((sum, value) => sum + value, 0);
}

function countUnknown(items: readonly Item[], read: (one: Case) => number | null): number {
  return items.filter((item) => read(item.case) === null).length;
}

function keyColumns(groups: readonly Group[], by: readonly InspectionDimension[], labels: readonly unknown[]): Columns {
  return by.map((dimension, index) => {
    const values = groups.map(({ key }) => key[index]);
    return [dimension, dimension === "capture" ? values.map((capture) => labels[capture as number]) : values];
  });
}

function groupColumns(
  groups: readonly Group[],
  by: readonly InspectionDimension[],
  labels: readonly unknown[],
  measures: Measures,
): Columns {
  const rows = groups.map((group) => figuresOf(group, measures));
  const names = Object.keys(figuresOf({ index: 0, key: [], items: [] }, measures)) as (keyof (typeof rows)[number])[];
  return [...keyColumns(groups, by, labels), ...names.map((name) => [name, rows.map((row) => row[name])] as const)];
}

function figuresOf(
  { index, items }: Group,
  { yield: specificYield, tariff, peakMwp, inspected, hasCoverage }: Measures,
) {
  const seen = items.filter(({ line }) => line.now !== null);
  const marks = seen.map(({ line }) => line.isMarkedFixed);
  const count = (status: CaptureStatus) => items.filter(({ line }) => line.status === status).length;
  const modules = sumKnown(seen, (one) => one.modules);
  const kw = sumKnown(seen, (one) => one.kw);
  const kwh = times(kw, specificYield);
  const thousands = times(inspected[index] ?? null, 0.001);
  return {
    anomalies: seen.length,
    modules,
    affected_kw: kw,
    affected_percent: ratio(times(kw, 100), times(peakMwp, 1000)),
    kwh_per_year: kwh,
    money_per_year: times(kwh, tariff),
    without_modules: countUnknown(seen, (one) => one.modules),
    without_power: countUnknown(seen, (one) => one.kw),
    marked_fixed: marks.includes(null) ? null : marks.filter((mark) => mark === true).length,
    new: count("new"),
    persistent: count("persistent"),
    returned: count("returned"),
    fixed: count("fixed"),
    not_surveyed: hasCoverage ? count("not_surveyed") : null,
    anomalies_per_mwp: ratio(seen.length, peakMwp),
    anomalies_per_1000_modules: ratio(seen.length, thousands),
    modules_per_1000_modules: ratio(modules, thousands),
  };
}

function times(value: number | null, by: number | undefined): number | null {
  return value === null || by === undefined ? null : value * by;
}

function ratio(value: number | null, by: number | null): number | null {
  return value === null || by === null ? null : value / by;
}

const statuses: readonly CaptureStatus[] = ["new", "persistent", "returned", "fixed", "not_surveyed"];

function changeColumns(
  groups: readonly Group[],
  by: readonly InspectionDimension[],
  labels: readonly unknown[],
): Columns {
  const parts = groups.flatMap(({ items, ...group }) =>
    statuses.flatMap((status) => {
      const ofStatus = items.filter(({ line }) => line.status === status);
      return ofStatus.length === 0 ? [] : [{ ...group, items: ofStatus, status }];
    }),
  );
  return [
    ...keyColumns(parts, by, labels),
    ["change", parts.map(({ status }) => status)],
    ["anomalies", parts.map(({ items }) => items.length)],
    ["modules", parts.map(({ items }) => sumKnown(items, (one) => one.modules))],
    ["affected_kw", parts.map(({ items }) => sumKnown(items, (one) => one.kw))],
    ["without_power", parts.map(({ items }) => countUnknown(items, (one) => one.kw))],
  ];
}

function anomalyColumns(items: readonly Item[], captures: readonly NamedCapture[], record: InspectionRecord): Columns {
  const records = items.map(({ line }) => record.at((line.now ?? line.previous) as Sighting));
  const cell = (seen: Sighting | null, name: "ids" | "visibleIds"): unknown =>
    seen === null ? null : (captures[seen.capture]?.[name].at(seen.row) ?? null);
  const column = (name: string, of: (item: Item) => unknown) => [name, items.map(of)] as const;
  return [
    column("capture", ({ line }) => captures[line.index]?.label),
    column("chain", ({ line }) => line.chain + 1),
    column("change", ({ line }) => line.status),
    column("id", ({ line }) => cell(line.now, "ids")),
    column("visible_id", ({ line }) => cell(line.now, "visibleIds")),
    column("previous_id", ({ line }) => cell(line.previous, "ids")),
    column("class", (item) => item.case.class),
    column("severity", (item) => item.case.severity),
    column("block", (item) => item.case.block),
    column("modules", (item) => item.case.modules),
    column("rated_power_w", (item) => item.case.ratedPower),
    column("factor", (item) => item.case.factor),
    column("affected_kw", (item) => item.case.kw),
    column("marked_fixed", ({ line }) => line.isMarkedFixed),
    ...recordedNames.map((name) => [name, records.map((one) => one[name])] as const),
  ];
}

/** The given options, with null for omitted ones, as plain JSON. */
function assumptionsOf(
  options: Omit<InspectionOptions, "maxMeters"> & { readonly maxMeters: number | undefined },
  peak: PeakPower,
  flown: SurveyAreas | undefined,
): Readonly<Record<string, unknown>> {
  const labelOf = (value: unknown) =>
    typeof value === "function" ? `function of the row: ${String(value)}` : (value ?? null);
  return {
    by: options.by,
    classColumn: options.classColumn,
    severityColumn: labelOf(options.severityColumn),
    factors: labelOf(options.factors),
    modules: labelOf(options.modules),
    ratedPower: labelOf(options.ratedPower),
    yield: labelOf(options.yield),
    tariff: labelOf(options.tariff),
    peakPower: peak.mwp,
    peakPowerFrom: peak.from,
    modulesInspected: labelOf(options.modulesInspected),
    blockColumn: options.blockColumn ?? (flown ? "polygons of the survey area" : null),
    surveyArea: flown ? flown.words : "omitted: each capture counts as covering everything",
    maxMeters: labelOf(options.maxMeters),
    relation: labelOf(options.relation),
    fixed: labelOf(options.fixed),
    minimumIrradiance: labelOf(options.minimumIrradiance),
  };
}

function peakDiagnostics({ mwp, from }: PeakPower, totals: readonly Group[]): readonly Diagnostic[] {
  if (from !== null && mwp === null) {
    return [
      withSeverity({
        code: "peak-power-missing",
        message: "The site's record has no peak power. Percentages and figures per MWp are null. Set peakPower in MWp.",
      }),
    ];
  }
  const most = totals.map(({ items }) =>
    sumKnown(
      items.filter(({ line }) => line.now !== null),
      (one) => one.kw,
    ),
  );
  const beyond = most.filter((kw) => mwp !== null && kw !== null && kw > 1000 * mwp);
  if (beyond.length === 0) return [];
  return [
    withSeverity({
      code: "power-above-peak",
      message: `${beyond.length} ${beyond.length === 1 ? "capture has" : "captures have"} more affected power than the site has (${mwp} MWp). Check the units: peakPower in MWp, ratedPower in W.`,
      count: beyond.length,
      facts: { peakPower: mwp, affected_kw: beyond },
    }),
  ];
}
