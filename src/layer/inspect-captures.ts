import type { ColumnTable } from "arquero";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { canonicalJson, compareText } from "../core/json.js";
import { nearestName } from "../core/nearest-name.js";
import { anything, checkOptions, numeric, type OptionRule, type OptionRules, text } from "../core/options.js";
import { isShare, shareHint } from "../core/share.js";
import { showValue } from "../core/show-value.js";
import { toTable, withProvenance } from "../tables/column/table.js";
import {
  type Case,
  caseFindings,
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
import type { FlownAreas } from "./coverage.js";
import { isLayer } from "./follow-relation.js";
import type { Layer } from "./layer.js";

/** What an inspection found: one row for each group of anomalies. */
export interface Inspection extends ColumnTable {
  /** The same figures of all anomalies of a capture, one row for each capture that the rows are of. */
  readonly totals: ColumnTable;
  /** Groups by what became of them: the groups' columns, `change`, `anomalies`, `modules`, `affected_kw`, `without_power`. */
  readonly changes: ColumnTable;
  /**
   * One row a capture and chain, as of `compareCaptures()`, with what was added up: `capture`, `chain`, `change`, `id`,
   * `visible_id`, `previous_id`, `class`, `severity`, `block`, `modules`, `rated_power_w`, `factor`, `affected_kw`,
   * `marked_fixed`. Of what a capture does not show the values are those of the sighting before.
   */
  readonly anomalies: ColumnTable;
  /** Anomalies without a factor, modules, power or severity, no peak power, and the findings of `compareCaptures()`. */
  readonly findings: readonly Finding[];
}

/** Does the work of `inspection()`. */
export async function inspectCaptures(layers: readonly Layer[], options: InspectionOptions): Promise<Inspection> {
  checkOptions(CALL, options, { ...captureRules, ...inspectionRules });
  const given = { ...options };
  if (!text.accepts(given.classes)) {
    throw new ArgumentError(`${CALL}: classes takes the name of a column, got ${showValue(given.classes)}.`, {
      hint: 'Name the column with the class of an anomaly: { classes: "Class" }.',
    });
  }
  if (!Array.isArray(layers) || layers.length === 0 || layers.some((layer) => !isLayer(layer))) {
    throw new ArgumentError(`${CALL} takes an array of layers, got ${showValue(layers)}.`, {
      hint: "Give one layer for each capture, in the order of time.",
    });
  }
  const resolved = resolveCaptures(layers.length, given);
  const { labels } = resolved;
  const by = dimensions(given);
  const inspected = inspectedModules(given.modulesInspected, layers.length);
  for (const name of [given.classes, given.severity, given.modules, given.ratedPower, given.blocks]) {
    if (typeof name !== "string") continue;
    requireColumn(
      layers.flatMap(({ table }) => table.columnNames()),
      name,
    );
  }
  const followed = await followCaptures(CALL, layers, resolved);
  const { captures, lines, flown } = followed;
  const cases = layers.map((layer, place) => readCases(layer, given, blockReader(place, captures, flown)));
  const items = lines.map((line): Item => {
    // A line is of a sighting, now or before.
    const { capture, row } = (line.now ?? line.previous) as Sighting;
    return { line, case: cases[capture]?.[row] as Case };
  });
  const peak = await peakPower(layers, given.peakPower);
  const measures: Measures = { ...given, peakMwp: peak.mwp, inspected, hasCoverage: flown !== undefined };
  const last = layers.at(-1) as Layer;
  const proven = {
    ...last.provenance,
    assumptions: assumptionsOf({ ...given, labels, by, maxDistance: given.maxDistance }, peak, flown),
  };
  const tableOf = (columns: Columns) => withProvenance(toTable(columns), proven);
  const shown = by.includes("capture") ? items : items.filter(({ line }) => line.place === layers.length - 1);
  const places = by.includes("capture") ? labels.map((_, place) => place) : [layers.length - 1];
  const groups = groupsOf(shown, by, places);
  const totals = groupsOf(shown, ["capture"], places);
  const findings = [
    ...followed.findings,
    ...caseFindings(cases.flat(), given, listedClasses(layers, given.classes)),
    ...peakFindings(peak, totals),
  ];
  return Object.assign(tableOf(groupColumns(groups, by, labels, measures)), {
    totals: tableOf(groupColumns(totals, ["capture"], labels, measures)),
    changes: tableOf(changeColumns(groups, by, labels)),
    anomalies: tableOf(anomalyColumns(items, captures)),
    findings,
  });
}

const CALL = "inspection()";

type Columns = readonly (readonly [string, readonly unknown[]])[];

const known: readonly InspectionDimension[] = ["capture", "class", "severity", "block"];

/** Above 0, or from 0. */
function number(unit: string, accepts: (value: number) => boolean): OptionRule {
  return { ...numeric, takes: unit, accepts: (value) => numeric.accepts(value) && accepts(Number(value)) };
}

/** @param hint what to do about a value that it does not take */
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

/** A number, a column, a table by class or a function. */
function anomalyNumber(what: string, accepts: (value: number) => boolean): OptionRule {
  const one = number(what, accepts);
  const byClass = byClassRule(what, one.accepts);
  return {
    takes: `${what}, a column, a number for each class, or a function of the row`,
    accepts: (value) => one.accepts(value) || text.accepts(value) || byClass.accepts(value) || isFunction(value),
    refusedEntry: byClass.refusedEntry,
  };
}

const isFunction = (value: unknown) => typeof value === "function";
const severities = byClassRule("", (value) => typeof value === "string" || typeof value === "number");

export const inspectionRules: OptionRules<Omit<InspectionOptions, keyof CaptureOptions>> = {
  classes: anything,
  severity: {
    takes: "a column, or a string or number for each class",
    accepts: (value) => text.accepts(value) || severities.accepts(value),
    refusedEntry: severities.refusedEntry,
  },
  factors: byClassRule("a share from 0 to 1 for each class, such as { hot_spot: 0.1, string: 1 }", isShare, (value) =>
    shareHint(value, "all of a module's power"),
  ),
  modules: anomalyNumber("a number from 0", isCount),
  ratedPower: anomalyNumber("a number of W above 0", isPositive),
  yield: number("a number of kWh for each kWp from 0", isCount),
  tariff: number("a price of a kWh", () => true),
  peakPower: {
    takes: "a number of MWp above 0, or a source or site whose record says it",
    accepts: (value) => number("", isPositive).accepts(value) || isPeakPowerSource(value),
  },
  modulesInspected: {
    takes: "a number of modules above 0, or one for each layer",
    accepts: (value) => [value].flat().every(number("", isPositive).accepts),
  },
  blocks: text,
  by: anything,
};

function dimensions({ by = "capture", severity, blocks, coverage }: InspectionOptions): readonly InspectionDimension[] {
  const wanted: readonly unknown[] = Array.isArray(by) ? by : [by];
  const odd = wanted.find((one) => !known.some((name) => name === one));
  if (wanted.length === 0 || odd !== undefined || new Set(wanted).size !== wanted.length) {
    const meant = typeof odd === "string" ? nearestName(odd, known) : undefined;
    throw new ArgumentError(`${CALL}: by takes ${known.join(", ")}, or several of them, got ${showValue(by)}.`, {
      ...(meant === undefined ? {} : { hint: `Did you mean ${showValue(meant)}?` }),
      facts: { by },
    });
  }
  if (wanted.includes("severity") && severity === undefined) {
    throw new ArgumentError(`${CALL} cannot count by severity: nothing says what it is.`, {
      hint: 'Give a column or a severity for each class: { severity: "Severity" }.',
    });
  }
  if (wanted.includes("block") && blocks === undefined && coverage === undefined) {
    throw new ArgumentError(`${CALL} cannot count by block: nothing says where blocks are.`, {
      hint: "Give a column, { blocks }, or what was flown over, { coverage: source }.",
    });
  }
  return wanted as readonly InspectionDimension[];
}

function inspectedModules(given: number | readonly number[] | undefined, count: number): readonly (number | null)[] {
  if (given === undefined || typeof given === "number") return Array.from({ length: count }, () => given ?? null);
  if (given.length === count) return given;
  throw new ArgumentError(
    `${CALL}: modulesInspected takes a number for each layer: got ${given.length} for ${count} layers.`,
  );
}

/** A line with the anomaly that it is of. */
interface Item {
  readonly line: CaptureLine;
  readonly case: Case;
}

function blockReader(place: number, captures: readonly NamedCapture[], flown: FlownAreas | undefined) {
  return (row: number): unknown => flown?.nameAt(place, captures[place]?.points[row] ?? null) ?? null;
}

/** The peak power of what was inspected, and who said it. */
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
  // Of a site whose power is not set the power of all sites is not known.
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

/** Anomalies that are counted together. */
interface Group {
  /** The capture's place in time. */
  readonly place: number;
  /** A value for each dimension. */
  readonly key: readonly unknown[];
  readonly items: Item[];
}

/** Groups in order of their keys. Of captures alone each has one, also one without anomalies. */
function groupsOf(
  items: readonly Item[],
  by: readonly InspectionDimension[],
  places: readonly number[],
): readonly Group[] {
  const groups = new Map<string, Group>();
  const groupOf = (place: number, key: readonly unknown[]): Group => {
    const name = canonicalJson(key);
    const group = groups.get(name) ?? { place, key, items: [] };
    groups.set(name, group);
    return group;
  };
  if (by.every((dimension) => dimension === "capture")) for (const place of places) groupOf(place, [place]);
  for (const item of items) {
    const { place } = item.line;
    const key = by.map((dimension) => (dimension === "capture" ? place : item.case[dimension]));
    groupOf(place, key).items.push(item);
  }
  return [...groups.values()].sort((a, b) => {
    const differing = a.key.findIndex((value, index) => compareValues(value, b.key[index]) !== 0);
    return differing < 0 ? 0 : compareValues(a.key[differing], b.key[differing]);
  });
}

/** Numbers, then texts, then what is null. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const rank = (value: unknown) => (value === null ? 2 : typeof value === "number" ? 0 : 1);
  const text = (value: unknown) => (typeof value === "string" ? value : canonicalJson(value));
  return rank(a) - rank(b) || compareText(text(a), text(b));
}

/** What figures are made with, beside the anomalies. */
interface Measures extends Pick<InspectionOptions, "yield" | "tariff"> {
  readonly peakMwp: number | null;
  /** Modules by capture. */
  readonly inspected: readonly (number | null)[];
  readonly hasCoverage: boolean;
}

/** The sum of what is known; null if there is something, and nothing of it is known. */
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
    return [dimension, dimension === "capture" ? values.map((place) => labels[place as number]) : values];
  });
}

function groupColumns(
  groups: readonly Group[],
  by: readonly InspectionDimension[],
  labels: readonly unknown[],
  measures: Measures,
): Columns {
  const rows = groups.map((group) => figuresOf(group, measures));
  const names = Object.keys(figuresOf({ place: 0, key: [], items: [] }, measures)) as (keyof (typeof rows)[number])[];
  return [...keyColumns(groups, by, labels), ...names.map((name) => [name, rows.map((row) => row[name])] as const)];
}

function figuresOf(
  { place, items }: Group,
  { yield: specificYield, tariff, peakMwp, inspected, hasCoverage }: Measures,
) {
  const seen = items.filter(({ line }) => line.now !== null);
  const marks = seen.map(({ line }) => line.isMarkedFixed);
  const count = (status: CaptureStatus) => items.filter(({ line }) => line.status === status).length;
  const modules = sumKnown(seen, (one) => one.modules);
  const kw = sumKnown(seen, (one) => one.kw);
  const kwh = times(kw, specificYield);
  const thousands = times(inspected[place] ?? null, 0.001);
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
    not_surveyed: hasCoverage ? count("not surveyed") : null,
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

const statuses: readonly CaptureStatus[] = ["new", "persistent", "returned", "fixed", "not surveyed"];

function changeColumns(
  groups: readonly Group[],
  by: readonly InspectionDimension[],
  labels: readonly unknown[],
): Columns {
  const parts = groups.flatMap(({ items, ...group }) =>
    statuses.flatMap((status) => {
      const own = items.filter(({ line }) => line.status === status);
      return own.length === 0 ? [] : [{ ...group, items: own, status }];
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

function anomalyColumns(items: readonly Item[], captures: readonly NamedCapture[]): Columns {
  const cell = (seen: Sighting | null, name: "ids" | "visibleIds"): unknown =>
    seen === null ? null : (captures[seen.capture]?.[name].at(seen.row) ?? null);
  const column = (name: string, of: (item: Item) => unknown) => [name, items.map(of)] as const;
  return [
    column("capture", ({ line }) => captures[line.place]?.label),
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
  ];
}

/** What was given, and what was not (null), as plain JSON. */
function assumptionsOf(
  options: Omit<InspectionOptions, "maxDistance"> & { readonly maxDistance: number | undefined },
  peak: PeakPower,
  flown: FlownAreas | undefined,
): Readonly<Record<string, unknown>> {
  const told = (value: unknown) =>
    typeof value === "function" ? `function of the row: ${String(value)}` : (value ?? null);
  return {
    by: options.by,
    classes: options.classes,
    severity: told(options.severity),
    factors: told(options.factors),
    modules: told(options.modules),
    ratedPower: told(options.ratedPower),
    yield: told(options.yield),
    tariff: told(options.tariff),
    peakPower: peak.mwp,
    peakPowerFrom: peak.from,
    modulesInspected: told(options.modulesInspected),
    blocks: options.blocks ?? (flown ? "polygons of the coverage" : null),
    coverage: flown ? flown.words : "not given: each capture counts as flown over everything",
    maxDistance: told(options.maxDistance),
    relation: told(options.relation),
    fixed: told(options.fixed),
  };
}

function peakFindings({ mwp, from }: PeakPower, totals: readonly Group[]): readonly Finding[] {
  if (from !== null && mwp === null) {
    return [
      {
        code: "no-peak-power",
        message:
          "The site's record has no peak power: percentages and figures for each MWp are null. Give peakPower in MWp.",
      },
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
    {
      code: "beyond-peak-power",
      message: `In ${beyond.length} ${beyond.length === 1 ? "capture" : "captures"} more power is affected than the site has (${mwp} MWp): peakPower is in MWp, ratedPower in W.`,
      count: beyond.length,
      facts: { peakPower: mwp, affected_kw: beyond },
    },
  ];
}
