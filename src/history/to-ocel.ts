import { writeFile } from "node:fs/promises";
import { dateOf } from "../core/instant.js";
import { checkOptions, type OptionRule, type OptionRules, text } from "../core/options.js";
import { replaceFile } from "../tables/export/replace-file.js";
import { intervalsOf } from "./cell/cell-intervals.js";
import { cellValue, UNKNOWN } from "./cell/cell-state.js";
import type { HistoryData } from "./cell/history-data.js";
import { chooseColumn } from "./columns/choose-columns.js";
import { NONE } from "./log/change-log.js";

/** Options of `history.toOCEL()`. */
export interface OcelOptions {
  /** JSON file to write. Default: none. */
  readonly path?: string | undefined;
  /**
   * Property column whose values are the activities of events: each change of it is an event with its new value as
   * type. Default: every change is an event, with its column's name as type.
   */
  readonly activity?: string | undefined;
}

const jsonPath: OptionRule = {
  takes: "the path of a .json file",
  accepts: (value) => typeof value === "string" && /\.json$/i.test(value),
};

const ocelRules: OptionRules<OcelOptions> = { path: jsonPath, activity: text };

/** An object-centric event log. Specification: OCEL 2.0, JSON. */
export interface OcelLog {
  /** Types of objects, with their attributes. */
  readonly objectTypes: readonly OcelType[];
  /** Types of events, with their attributes. */
  readonly eventTypes: readonly OcelType[];
  /** Features, with the values of their properties and the start of each. */
  readonly objects: readonly OcelObject[];
  /** Changes. */
  readonly events: readonly OcelEvent[];
}

/** A type of objects or events. */
export interface OcelType {
  /** Name of the type. */
  readonly name: string;
  /** Attributes of the type; an attribute's type is `string`, `float` or `boolean`. */
  readonly attributes: readonly OcelAttribute[];
}

/** A feature. */
export interface OcelObject {
  /** Id of the feature, as string. */
  readonly id: string;
  /** Semantic type of the feature. */
  readonly type: string;
  /** Values and their start; the beginning of 1970 if unknown. */
  readonly attributes: readonly OcelObjectValue[];
}

/** A change. */
export interface OcelEvent {
  /** Id of the change. */
  readonly id: string;
  /** Activity of the change. */
  readonly type: string;
  /** When the change was made. */
  readonly time: string;
  /** User who made it, if known, and the new value. */
  readonly attributes: readonly OcelEventValue[];
  /** The feature that was changed. */
  readonly relationships: readonly OcelRelationship[];
}

/** An attribute of a type. */
export interface OcelAttribute {
  /** Name of the attribute. */
  readonly name: string;
  /** `string`, `float` or `boolean`. */
  readonly type: string;
}

/** A value of an event. */
export interface OcelEventValue {
  /** Name of the attribute. */
  readonly name: string;
  /** Value of the attribute. */
  readonly value: OcelValue;
}

/** A value of an object. */
export interface OcelObjectValue extends OcelEventValue {
  /** Start of the value. */
  readonly time: string;
}

/** The object of an event. */
export interface OcelRelationship {
  /** Id of the object. */
  readonly objectId: string;
  /** Kind of the relationship. */
  readonly qualifier: string;
}

/** A value; null if it was cleared. Values that are not scalars are JSON text. */
export type OcelValue = string | number | boolean | null;

/** The time of values that always held. Specification: OCEL 2.0, section 3.2. */
const ALWAYS = "1970-01-01T00:00:00.000Z";

/**
 * Converts a history to an object-centric event log.
 *
 * @throws ArgumentError for an unknown option and a missing column, and FileError for a file that cannot be written
 */
export async function toOcel(data: HistoryData, options: OcelOptions): Promise<OcelLog> {
  checkOptions("toOCEL()", options, ocelRules);
  const { path, activity } = options;
  const column = activity === undefined ? undefined : chooseColumn(data.names, activity);
  const log = ocelLog(data, column);
  if (path !== undefined) await replaceFile(path, (unfinished) => writeFile(unfinished, JSON.stringify(log)));
  return log;
}

function ocelLog(data: HistoryData, activity: number | undefined): OcelLog {
  const types = data.names.map((_, column) => typeOf(data, column));
  const objects = objectsOf(data, types);
  const events = eventsOf(data, types, activity);
  const attributes = data.names.map((name, column) => ({ name, type: types[column] as string }));
  const people = data.lacks.has("user_id") ? [] : [{ name: "user_id", type: "string" }];
  return {
    objectTypes: [...new Set(objects.map(({ type }) => type))].map((name) => ({ name, attributes })),
    eventTypes: [...new Set(events.map(({ type }) => type))].map((name) => {
      const column = activity ?? data.names.indexOf(name);
      return { name, attributes: [{ name: "value", type: types[column] as string }, ...people] };
    }),
    objects,
    events,
  };
}

/** `float` or `boolean` if all values of a column have that type, else `string`. */
function typeOf({ index, log, columns, features }: HistoryData, column: number): string {
  const [start, end] = index.placesOf(column);
  const codes = new Set(index.valueCodes.subarray(start, end));
  const values = [...codes].map((code) => log.values[code]);
  const present = columns[column]?.values;
  for (let row = 0; row < features.count; row += 1) values.push(present?.at(row) ?? null);
  const nonNull = values.filter((value) => value !== null);
  if (nonNull.length > 0 && nonNull.every((value) => typeof value === "number")) return "float";
  return nonNull.length > 0 && nonNull.every((value) => typeof value === "boolean") ? "boolean" : "string";
}

function ocelValue(value: unknown, type: string): OcelValue {
  if (value === null || value === undefined) return null;
  if (type !== "string") return value as number | boolean;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function timeText(us: number): string {
  return Number.isFinite(us) ? dateOf(us).toISOString() : ALWAYS;
}

function objectsOf(data: HistoryData, types: readonly string[]): readonly OcelObject[] {
  const { features, names } = data;
  const attributes = Array.from(features.rows, (): OcelObjectValue[] => []);
  for (const [column, name] of names.entries()) {
    const intervals = intervalsOf(data, column);
    for (let interval = 0; interval < intervals.length; interval += 1) {
      const [row, decision] = [intervals.rows[interval] as number, intervals.decisions[interval] as number];
      const value = ocelValue(cellValue(data, row, column, decision), types[column] as string);
      // Unknown values are omitted, and so are nulls without a change.
      if (decision === UNKNOWN || (value === null && decision < 0)) continue;
      attributes[row]?.push({
        name,
        time: decision < 0 ? ALWAYS : timeText(intervals.fromUs[interval] as number),
        value,
      });
    }
  }
  const typeOfRow = features.base("semantic_type");
  return attributes.map((attributesOfRow, row) => ({
    id: String(features.base("id").at(row)),
    type: String(typeOfRow.at(row) ?? "entity"),
    attributes: attributesOfRow,
  }));
}

function eventsOf(
  { log, columnOfKey, names, features, lacks }: HistoryData,
  types: readonly string[],
  activity: number | undefined,
): readonly OcelEvent[] {
  const events: OcelEvent[] = [];
  const ids = features.base("id");
  for (let change = log.initial; change < log.length; change += 1) {
    const column = columnOfKey[log.keyCodes[change] as number] as number;
    if (column === NONE || (activity !== undefined && column !== activity)) continue;
    const value = ocelValue(log.values[log.valueCodes[change] as number], types[column] as string);
    const user = log.users[log.userCodes[change] as number] ?? null;
    const type = activity === undefined ? (names[column] as string) : String(value ?? "cleared");
    events.push({
      id: lacks.has("change_id") ? `e${log.ids.at(change)}` : log.ids.at(change),
      type,
      time: timeText(log.timesUs[change] as number),
      attributes: [{ name: "value", value }, ...(user === null ? [] : [{ name: "user_id", value: String(user) }])],
      relationships: [{ objectId: String(ids.at(log.rows[change] as number)), qualifier: "changed" }],
    });
  }
  return events.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
}
