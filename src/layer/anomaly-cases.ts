import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { nearestName } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import type { CaptureOptions } from "./captures.js";
import type { RecordOptions } from "./inspection-record.js";
import type { Layer } from "./layer.js";
import { optionList } from "./option-labels.js";

/** A dimension to count anomalies by. */
export type InspectionDimension = "capture" | "class" | "severity" | "block";

/**
 * Returns a number for an anomaly, or null if it is unknown.
 *
 * @param row the anomaly's row in the layer's table
 */
export type NumberOfRow = (row: Readonly<Record<string, unknown>>) => number | null | undefined;

/** A number for each anomaly: a constant, a column, a number for each class, or a function of the row. */
export type AnomalyNumber = number | string | Readonly<Record<string, number>> | NumberOfRow;

/** Source of the peak power of sites: a source, or one site. */
export type PeakPowerSource =
  | {
      /**
       * Specification: GET /sites.
       *
       * @param params which sites
       */
      sites(params: { readonly id: readonly number[] }): Promise<ColumnTable>;
    }
  | {
      /** The record of the site. */
      readonly record: {
        /** In MWp; null if not set. */
        readonly peak_power: number | null;
      };
    };

/** Options of `inspection()`. */
export interface InspectionOptions extends Partial<CaptureOptions>, RecordOptions {
  /** Column with the class of an anomaly: `"Class"`. */
  readonly classColumn: string;
  /** Column with the severity, or the severity of each class: `{ hot_spot: 2, string: 3 }`. */
  readonly severityColumn?: string | Readonly<Record<string, string | number>>;
  /** Share of a module's power lost for each class, from 0 to 1: `{ hot_spot: 0.1, diode: 0.33, string: 1 }`. */
  readonly factors?: Readonly<Record<string, number>>;
  /** Number of affected modules: `{ hot_spot: 1, string: 24 }`, a column, or a function of the row. */
  readonly modules?: AnomalyNumber;
  /** Rated power of a module, in W: a number, a column (for example one added by `layer.lookup()`), … */
  readonly ratedPower?: AnomalyNumber;
  /** Specific yield, in kWh per kWp and year. */
  readonly yield?: number;
  /** Price of a kWh, in any currency. */
  readonly tariff?: number;
  /** Peak power of the site, in MWp: a number, or a source or site that has it in its record. */
  readonly peakPower?: number | PeakPowerSource;
  /** Number of inspected modules: one number for all captures, or one for each. */
  readonly modulesInspected?: number | readonly number[];
  /** Column with the block of an anomaly. Default: the polygon of the survey area that contains its center. */
  readonly blockColumn?: string;
  /** Dimensions to count by. Without `"capture"`, only the last capture is counted. Default: `"capture"`. */
  readonly by?: InspectionDimension | readonly InspectionDimension[];
}

/** An anomaly in one capture. */
export interface Case {
  readonly class: unknown;
  readonly severity: unknown;
  readonly block: unknown;
  readonly modules: number | null;
  readonly ratedPower: number | null;
  readonly factor: number | null;
  readonly kw: number | null;
}

/** The options of the column with the class of an anomaly. */
function classOptions({ schema }: Pick<Layer, "schema">, classes: string) {
  return (schema.find(({ column }) => column === classes)?.definitions ?? []).flatMap(optionList);
}

/** Returns the codes and labels of the classes in the definitions. */
export function listedClasses(layers: readonly Layer[], classes: string): ReadonlySet<unknown> {
  return new Set(layers.flatMap((layer) => classOptions(layer, classes)).flatMap(({ code, label }) => [code, label]));
}

/**
 * Returns the anomalies of a layer, by row.
 *
 * @param blockAt the block of a row if no column contains it
 */
export function readCases(
  { table, schema }: Layer,
  {
    classColumn: classes,
    severityColumn: severity,
    factors,
    modules,
    ratedPower,
    blockColumn: blocks,
  }: InspectionOptions,
  blockAt: (row: number) => unknown,
): readonly Case[] {
  const cell = (name: string, row: number): unknown => table.column(name)?.at(row) ?? null;
  // Tables contain codes or labels, depending on `optionLabels`; accept both.
  const options = classOptions({ schema }, classes);
  const byClass = <T>(values: Readonly<Record<string, T>>, value: unknown): T | null => {
    if (value === null) return null;
    const others = options.flatMap(({ code, label }) => (code === value ? (label ?? []) : label === value ? code : []));
    const name = [value, ...others].map(String).find((one) => Object.hasOwn(values, one));
    return name === undefined ? null : (values[name] as T);
  };
  const count = (given: AnomalyNumber | undefined, row: number, accepts: (value: number) => boolean) => {
    const value =
      typeof given === "string"
        ? cell(given, row)
        : typeof given === "function"
          ? given(table.object(row) as Readonly<Record<string, unknown>>)
          : typeof given === "object"
            ? byClass(given, cell(classes, row))
            : given;
    return typeof value === "number" && Number.isFinite(value) && accepts(value) ? value : null;
  };
  return Array.from({ length: table.numRows() }, (_, row): Case => {
    const className = cell(classes, row);
    const part = {
      class: className,
      severity: typeof severity === "object" ? byClass(severity, className) : severity && cell(severity, row),
      block: blocks === undefined ? blockAt(row) : cell(blocks, row),
      modules: count(modules, row, isCount),
      ratedPower: count(ratedPower, row, isPositive),
      factor: factors ? byClass(factors, className) : null,
    };
    return { ...part, severity: part.severity ?? null, kw: affectedKw(part) };
  });
}

/** Affected DC power; null if a factor of the product is unknown. */
function affectedKw({ modules, ratedPower, factor }: Omit<Case, "kw">): number | null {
  return modules === null || ratedPower === null || factor === null ? null : (modules * ratedPower * factor) / 1000;
}

/**
 * Diagnostics for anomalies with unknown values of a given option.
 *
 * @param listed classes that diagnostics may name
 */
export function caseDiagnostics(
  cases: readonly Case[],
  { factors, modules, ratedPower, severityColumn: severity }: InspectionOptions,
  listed: ReadonlySet<unknown>,
): readonly Diagnostic[] {
  const then = "their power is unknown and not in the sums";
  return [
    ...(factors ? missing("factor-missing", cases, listed, "factor", "a factor", then, Object.keys(factors)) : []),
    ...(modules === undefined
      ? []
      : missing("module-count-missing", cases, listed, "modules", "a number of modules", then, tableKeys(modules))),
    ...(ratedPower === undefined
      ? []
      : missing("rated-power-missing", cases, listed, "ratedPower", "a rated power", then, tableKeys(ratedPower))),
    ...(severity === undefined
      ? []
      : missing(
          "severity-missing",
          cases,
          listed,
          "severity",
          "a severity",
          "their severity is null",
          tableKeys(severity),
        )),
  ];
}

function tableKeys(given: AnomalyNumber | InspectionOptions["severityColumn"]): readonly string[] {
  return typeof given === "object" ? Object.keys(given) : [];
}

/** Classes that are in no definition. */
const OTHERS = Symbol("others");

/** @param names the classes in the option */
function missing(
  code: Diagnostic["code"],
  cases: readonly Case[],
  listed: ReadonlySet<unknown>,
  field: "factor" | "modules" | "ratedPower" | "severity",
  what: string,
  then: string,
  names: readonly string[],
): readonly Diagnostic[] {
  const without = cases.filter((one) => one[field] === null);
  const count = without.length;
  if (count === 0) return [];
  const counts = new Map<unknown, number>();
  for (const { class: name } of without) {
    const label = name === null || listed.has(name) ? name : OTHERS;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const classes = Array.from(counts, ([name, ofClass]) => ({ class: name, count: ofClass }));
  const named = classes.filter((one) => one.class !== OTHERS);
  const meant = named.flatMap((one) => nearestName(String(one.class), names) ?? []);
  const hint =
    meant.length === 0
      ? ""
      : ` Did you mean ${named.map((one) => showValue(one.class)).join(", ")} by ${meant.map((one) => showValue(one)).join(", ")}?`;
  const byClass = classes
    .map((one) => `${one.class === OTHERS ? "others" : showValue(one.class)}: ${one.count}`)
    .join(", ");
  return [
    withSeverity({
      code,
      message: `${count} ${count === 1 ? "anomaly has" : "anomalies have"} no ${what.replace(/^an? /, "")} (${byClass}); ${then}.${hint}`,
      count,
      facts: { classes: named },
    }),
  ];
}

/** Whether a number can be a count. */
export const isCount = (value: number) => value >= 0;

/** Whether a number can be a quantity that exists. */
export const isPositive = (value: number) => value > 0;
