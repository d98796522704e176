import type { ColumnTable } from "arquero";
import { ArgumentError } from "../core/errors.js";
import { formatCount, formatMeasure, withUnit } from "../core/format/format-number.js";
import { memberOf } from "../core/member.js";
import { nameHint } from "../core/nearest-name.js";
import { numberFrom, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import { isTable } from "../tables/column/is-table.js";
import type { NamedCapture, Sighting } from "./captures.js";
import type { Layer } from "./layer.js";

/** The conditions of one capture, its camera and its pilot; null or missing if not recorded. */
export interface CaptureConditions {
  /** Name of the capture, as in `labels`. */
  readonly capture: string | number;
  /** Irradiance in the module plane, in W/m². */
  readonly irradiance?: number | null;
  /** In m/s. */
  readonly wind_speed?: number | null;
  /** In okta, from 0 to 8. */
  readonly cloud_cover?: number | null;
  /** In °C. */
  readonly ambient_temperature?: number | null;
  /** Model of the thermal camera. */
  readonly camera?: string | null;
  /** From the camera to the modules, in meters. */
  readonly distance?: number | null;
  /** Name of the pilot. */
  readonly pilot?: string | null;
}

/** Options for the records that IEC TS 62446-3 asks for. */
export interface RecordOptions {
  /**
   * Conditions of the captures: a table or an array with `capture` (as in `labels`) and any of `irradiance` (W/m²),
   * `wind_speed` (m/s), `cloud_cover` (okta), `ambient_temperature` (°C), `camera`, `distance` (m) and `pilot`.
   */
  readonly conditions?: ColumnTable | readonly CaptureConditions[];
  /** Minimum irradiance in the module plane, in W/m². Default: 600. */
  readonly minimumIrradiance?: number;
  /** Column with the temperature difference of an anomaly, in K: `"ΔT"`. */
  readonly deltaT?: string;
  /** Columns with the position of an anomaly: `{ row: "Row", string: "String", module: "Module" }`. */
  readonly position?: PositionColumns;
  /** Columns with the address of a picture: `{ thermal: "IR image", rgb: "RGB image" }`. */
  readonly images?: ImageColumns;
}

/** Columns with the position of an anomaly. */
export interface PositionColumns {
  /** Row of modules. */
  readonly row?: string;
  /** String of modules. */
  readonly string?: string;
  /** Module in its string. */
  readonly module?: string;
}

/** Columns with addresses of pictures. */
export interface ImageColumns {
  /** Thermal image. */
  readonly thermal?: string;
  /** Photo. */
  readonly rgb?: string;
}

/** Whether the irradiance of a capture was sufficient. */
export type IrradianceVerdict = "met" | "not met" | "not recorded";

/** Irradiance of standard test conditions, in W/m². */
const STANDARD = 1000;

/** Minimum irradiance of IEC TS 62446-3, in W/m². */
const MINIMUM = 600;

const NOT_RECORDED = "not recorded";

/** The conditions with their units and valid ranges, in the order of a report. */
const conditionFields = {
  irradiance: { item: "Irradiance in the module plane", unit: "W/m²", least: 0, most: Number.MAX_VALUE },
  wind_speed: { item: "Wind speed", unit: "m/s", least: 0, most: Number.MAX_VALUE },
  cloud_cover: { item: "Cloud cover", unit: "okta", least: 0, most: 8 },
  ambient_temperature: { item: "Ambient temperature", unit: "°C", least: -273.15, most: Number.MAX_VALUE },
  camera: { item: "Camera" },
  distance: { item: "Distance to the modules", unit: "m", least: 0, most: Number.MAX_VALUE },
  pilot: { item: "Pilot" },
} as const satisfies Readonly<Record<Exclude<keyof CaptureConditions, "capture">, ConditionField>>;

interface ConditionField {
  readonly item: string;
  readonly unit?: string;
  /** Valid range of a number. */
  readonly least?: number;
  readonly most?: number;
}

type ConditionName = keyof typeof conditionFields;
const conditionNames = Object.keys(conditionFields) as readonly ConditionName[];

/** Items of an anomaly, by the column of the result that has them. */
const anomalyItems = {
  delta_t: "Temperature difference ΔT",
  delta_t_1000: "ΔT normalized to 1000 W/m²",
  row: "Row",
  string: "String",
  module: "Module",
  coordinates: "Coordinates",
  thermal_image: "Thermal image",
  rgb_image: "RGB image",
} as const;

function columnsRule(takes: string, ...names: readonly string[]) {
  return {
    takes,
    schema: { type: "object" },
    accepts: (value: unknown) =>
      typeof value === "object" &&
      value !== null &&
      Object.entries(value).every(([name, column]) => names.includes(name) && text.accepts(column)),
  };
}

export const recordRules: OptionRules<RecordOptions> = {
  conditions: {
    takes: 'a table or an array of conditions by capture, such as [{ capture: "2026-05-21", irradiance: 812 }]',
    schema: { type: "array", items: { type: "object" } },
    accepts: (value) =>
      isTable(value) || (Array.isArray(value) && value.every((each) => typeof each === "object" && each !== null)),
  },
  minimumIrradiance: { ...numberFrom(0), takes: "0 or more W/m²" },
  deltaT: text,
  position: columnsRule('columns by part, such as { row: "Row", module: "Module" }', "row", "string", "module"),
  images: columnsRule('columns by kind, such as { thermal: "IR image" }', "thermal", "rgb"),
};

/** Columns of a layer that the options name. */
export function recordColumns({ deltaT, position = {}, images = {} }: RecordOptions): readonly (string | undefined)[] {
  return [deltaT, ...Object.values(position), ...Object.values(images)];
}

/** What is recorded about an anomaly. */
type AnomalyRecord = Readonly<Record<Exclude<keyof typeof anomalyItems, "coordinates">, unknown>> & {
  readonly longitude: number | null;
  readonly latitude: number | null;
};

/** The parts of a record, in the order of the result. */
export const recordedNames = [
  "delta_t",
  "delta_t_1000",
  "row",
  "string",
  "module",
  "longitude",
  "latitude",
  "thermal_image",
  "rgb_image",
] as const satisfies readonly (keyof AnomalyRecord)[];

type Columns = readonly (readonly [string, readonly unknown[]])[];

/** The records of captures and their anomalies. */
export class InspectionRecord {
  readonly #captures: readonly NamedCapture[];
  readonly #layers: readonly Layer[];
  readonly #options: RecordOptions;
  readonly #conditions: readonly Partial<CaptureConditions>[];

  /** @throws ArgumentError for conditions of an unknown capture, unknown columns, and values out of range */
  constructor(call: string, layers: readonly Layer[], captures: readonly NamedCapture[], options: RecordOptions) {
    this.#layers = layers;
    this.#captures = captures;
    this.#options = options;
    this.#conditions = readConditions(
      call,
      captures.map(({ label }) => label),
      options.conditions,
    );
  }

  /** The conditions and the verdict of each capture. */
  conditionColumns(): Columns {
    const columns = conditionNames.map((name) => {
      return [name, this.#conditions.map((conditions) => conditions[name] ?? null)] as const;
    });
    return [
      ["capture", this.#captures.map(({ label }) => label)],
      ...columns,
      ["minimum_irradiance", this.#captures.map(() => this.#minimum)],
      ["irradiance_verdict", this.#conditions.map(({ irradiance }) => this.#verdictOf(irradiance))],
    ];
  }

  /** The record of an anomaly where it was seen. */
  at({ capture, row }: Pick<Sighting, "capture" | "row">): AnomalyRecord {
    const { deltaT, position = {}, images = {} } = this.#options;
    const { table } = this.#layers[capture] as Layer;
    const cell = (column: string | undefined): unknown => {
      const value = column === undefined ? null : (table.column(column)?.at(row) ?? null);
      return value === "" ? null : value;
    };
    const point = (this.#captures[capture] as NamedCapture).points[row];
    const [longitude, latitude] = point ?? [null, null];
    const given = cell(deltaT);
    const kelvin = typeof given === "number" && Number.isFinite(given) ? given : null;
    return {
      delta_t: kelvin,
      delta_t_1000: normalized(kelvin, this.#conditions[capture]?.irradiance),
      row: cell(position.row),
      string: cell(position.string),
      module: cell(position.module),
      longitude,
      latitude,
      thermal_image: cell(images.thermal),
      rgb_image: cell(images.rgb),
    };
  }

  /** Each item of each capture, and whether it is recorded. */
  documentationColumns(): Columns {
    const lines = this.#captures.flatMap(({ label, ids }, capture) => {
      const records = Array.from(ids, (_, row) => this.at({ capture, row }));
      const items = [...this.#conditionItems(capture), ...anomalyCounts(records)];
      return items.map(([item, value]) => [label, item, value] as const);
    });
    return (["capture", "item", "value"] as const).map((name, index) => [name, lines.map((line) => line[index])]);
  }

  get #minimum(): number {
    return this.#options.minimumIrradiance ?? MINIMUM;
  }

  #verdictOf(irradiance: number | null | undefined): IrradianceVerdict {
    if (irradiance === null || irradiance === undefined) return NOT_RECORDED;
    return irradiance >= this.#minimum ? "met" : "not met";
  }

  #conditionItems(capture: number): readonly (readonly [string, string])[] {
    const conditions = this.#conditions[capture] ?? {};
    const items = conditionNames.map((name) => {
      const field: ConditionField = conditionFields[name];
      const value = conditions[name];
      const words = typeof value === "number" ? withUnit(formatMeasure(value), field.unit) : (value ?? NOT_RECORDED);
      return [field.item, words] as const;
    });
    const minimum = `Minimum of ${formatMeasure(this.#minimum)} W/m²`;
    return [...items.slice(0, 1), [minimum, this.#verdictOf(conditions.irradiance)], ...items.slice(1)];
  }
}

/** Proportional to the irradiance, as for the cells of a module. */
function normalized(kelvin: number | null, irradiance: number | null | undefined): number | null {
  if (kelvin === null || irradiance === null || irradiance === undefined || irradiance <= 0) return null;
  return (kelvin * STANDARD) / irradiance;
}

function anomalyCounts(records: readonly AnomalyRecord[]): readonly (readonly [string, string])[] {
  const total = records.length;
  return Object.entries(anomalyItems).map(([name, item]) => {
    const field = (name === "coordinates" ? "longitude" : name) as keyof AnomalyRecord;
    const count = records.filter((record) => record[field] !== null).length;
    if (total === 0) return [item, "no anomalies"];
    return [item, count === 0 ? NOT_RECORDED : `${formatCount(count)} of ${formatCount(total)} anomalies`];
  });
}

function readConditions(
  call: string,
  labels: readonly (string | number)[],
  given: RecordOptions["conditions"] = [],
): readonly Partial<CaptureConditions>[] {
  const rows = isTable(given) ? (given.objects() as CaptureConditions[]) : given;
  const names = labels.map(String);
  const byCapture = new Map<string, Partial<CaptureConditions>>();
  for (const row of rows) {
    const capture = String(memberOf(row, "capture"));
    if (!names.includes(capture) || byCapture.has(capture)) {
      const problem = byCapture.has(capture) ? "two rows for the capture" : "unknown capture";
      throw new ArgumentError(`${call}: \`conditions\` has ${problem} ${showValue(capture)}.`, {
        hint: byCapture.has(capture) ? "Remove one of them." : nameHint(capture, names),
        facts: { option: "conditions", capture },
      });
    }
    byCapture.set(capture, checkedConditions(call, capture, row));
  }
  return names.map((name) => byCapture.get(name) ?? {});
}

function isWithin(value: unknown, { least, most }: { readonly least: number; readonly most: number }): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

/** @throws ArgumentError for an unknown column, and for a value of another type or out of range */
function checkedConditions(call: string, capture: string, row: CaptureConditions): Partial<CaptureConditions> {
  const columns: readonly string[] = ["capture", ...conditionNames];
  const kept = Object.entries(row).filter(([, value]) => value !== null && value !== undefined && value !== "");
  for (const [name, value] of kept) {
    if (!columns.includes(name)) {
      throw new ArgumentError(`${call}: unknown column ${showValue(name)} in \`conditions\`.`, {
        hint: nameHint(name, columns),
        facts: { option: "conditions", column: name },
      });
    }
    if (name === "capture") continue;
    const field = conditionFields[name as ConditionName];
    const unit = "unit" in field ? field.unit : undefined;
    if ("unit" in field ? isWithin(value, field) : typeof value === "string") continue;
    throw new ArgumentError(
      `${call}: invalid ${name} in the conditions of ${showValue(capture)}: ${showValue(value)}.`,
      {
        hint: unit === undefined ? "Write a string." : `Write a number in ${unit}.`,
        facts: { option: "conditions", column: name },
      },
    );
  }
  return Object.fromEntries(kept);
}
