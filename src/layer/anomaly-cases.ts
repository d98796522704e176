import type { ColumnTable } from "arquero";
import type { Finding } from "../core/finding.js";
import { nearestName } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import type { CaptureOptions } from "./captures.js";
import type { Layer } from "./layer.js";
import { optionList } from "./option-labels.js";

/** What anomalies are counted by. */
export type InspectionDimension = "capture" | "class" | "severity" | "block";

/**
 * Makes a number of an anomaly; null where it is not known.
 *
 * @param row the anomaly as the layer's table has it
 */
export type NumberOfRow = (row: Readonly<Record<string, unknown>>) => number | null | undefined;

/** A number of each anomaly: one for all, a column, a number for each class, or what a function makes of the row. */
export type AnomalyNumber = number | string | Readonly<Record<string, number>> | NumberOfRow;

/** What knows the peak power of sites: a source, or one site of it. */
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
        /** In MWp; null where it is not set. */
        readonly peak_power: number | null;
      };
    };

/** Options of `inspection()`. */
export interface InspectionOptions extends Partial<CaptureOptions> {
  /** The column with the class of an anomaly: `"Class"`. */
  readonly classes: string;
  /** The column with the severity, or the severity of each class: `{ hot_spot: 2, string: 3 }`. */
  readonly severity?: string | Readonly<Record<string, string | number>>;
  /** The share of a module's power that each class takes, from 0 to 1: `{ hot_spot: 0.1, diode: 0.33, string: 1 }`. */
  readonly factors?: Readonly<Record<string, number>>;
  /** How many modules an anomaly takes: `{ hot_spot: 1, string: 24 }`, a column, or a function of the row. */
  readonly modules?: AnomalyNumber;
  /** The rated power of a module, in W: a number, a column (mostly one that `layer.follow()` brought), … */
  readonly ratedPower?: AnomalyNumber;
  /** The specific yield, in kWh a year for each kWp. */
  readonly yield?: number;
  /** What a kWh is paid, in whatever money. */
  readonly tariff?: number;
  /** The peak power of the site, in MWp: a number, or a source or site whose record says it. */
  readonly peakPower?: number | PeakPowerSource;
  /** How many modules each capture inspected: a number for all, or one for each. */
  readonly modulesInspected?: number | readonly number[];
  /** The column with the block of an anomaly. Default: the polygon of the coverage in which its centre lies. */
  readonly blocks?: string;
  /** What anomalies are counted by; without `"capture"` those of the last. Default: `"capture"`. */
  readonly by?: InspectionDimension | readonly InspectionDimension[];
}

/** An anomaly as one capture shows it. */
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

/** The classes that definitions list, by their codes and labels. */
export function listedClasses(layers: readonly Layer[], classes: string): ReadonlySet<unknown> {
  return new Set(layers.flatMap((layer) => classOptions(layer, classes)).flatMap(({ code, label }) => [code, label]));
}

/**
 * The anomalies of a layer by row.
 *
 * @param blockAt the block of a row, where no column says it
 */
export function readCases(
  { table, schema }: Layer,
  { classes, severity, factors, modules, ratedPower, blocks }: InspectionOptions,
  blockAt: (row: number) => unknown,
): readonly Case[] {
  const cell = (name: string, row: number): unknown => table.column(name)?.at(row) ?? null;
  // A layer has the codes or the labels of its classes, as `optionLabels` asks; either may be named.
  const options = classOptions({ schema }, classes);
  const byClass = <T>(values: Readonly<Record<string, T>>, found: unknown): T | null => {
    if (found === null) return null;
    const others = options.flatMap(({ code, label }) => (code === found ? (label ?? []) : label === found ? code : []));
    const name = [found, ...others].map(String).find((one) => Object.hasOwn(values, one));
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
    const found = cell(classes, row);
    const part = {
      class: found,
      severity: typeof severity === "object" ? byClass(severity, found) : severity && cell(severity, row),
      block: blocks === undefined ? blockAt(row) : cell(blocks, row),
      modules: count(modules, row, isCount),
      ratedPower: count(ratedPower, row, isPositive),
      factor: factors ? byClass(factors, found) : null,
    };
    return { ...part, severity: part.severity ?? null, kw: affectedKw(part) };
  });
}

/** Affected DC power; null if one of its parts is not known. */
function affectedKw({ modules, ratedPower, factor }: Omit<Case, "kw">): number | null {
  return modules === null || ratedPower === null || factor === null ? null : (modules * ratedPower * factor) / 1000;
}

/**
 * Anomalies of which something was asked for and is not known.
 *
 * @param listed classes that diagnostics may name
 */
export function caseFindings(
  cases: readonly Case[],
  { factors, modules, ratedPower, severity }: InspectionOptions,
  listed: ReadonlySet<unknown>,
): readonly Finding[] {
  const then = "their power is not known, and sums are without it";
  return [
    ...(factors ? missing("without-factor", cases, listed, "factor", "a factor", then, Object.keys(factors)) : []),
    ...(modules === undefined
      ? []
      : missing("without-modules", cases, listed, "modules", "a number of modules", then, tableKeys(modules))),
    ...(ratedPower === undefined
      ? []
      : missing("without-rated-power", cases, listed, "ratedPower", "a rated power", then, tableKeys(ratedPower))),
    ...(severity === undefined
      ? []
      : missing("without-severity", cases, listed, "severity", "a severity", "it is null", tableKeys(severity))),
  ];
}

function tableKeys(given: AnomalyNumber | InspectionOptions["severity"]): readonly string[] {
  return typeof given === "object" ? Object.keys(given) : [];
}

/** Classes that no definition lists. */
const OTHERS = Symbol("others");

/** @param names the classes that the caller named */
function missing(
  code: Finding["code"],
  cases: readonly Case[],
  listed: ReadonlySet<unknown>,
  field: "factor" | "modules" | "ratedPower" | "severity",
  what: string,
  then: string,
  names: readonly string[],
): readonly Finding[] {
  const without = cases.filter((one) => one[field] === null);
  const count = without.length;
  if (count === 0) return [];
  const counts = new Map<unknown, number>();
  for (const { class: found } of without) {
    const shown = found === null || listed.has(found) ? found : OTHERS;
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  const classes = Array.from(counts, ([found, ofClass]) => ({ class: found, count: ofClass }));
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
    {
      code,
      message: `${count} ${count === 1 ? "anomaly has" : "anomalies have"} no ${what.replace(/^an? /, "")} (by class ${byClass}); ${then}.${hint}`,
      count,
      facts: { classes: named },
    },
  ];
}

/** A number that counts something. */
export const isCount = (value: number) => value >= 0;

/** A number that measures something that there is. */
export const isPositive = (value: number) => value > 0;
