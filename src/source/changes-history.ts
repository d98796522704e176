import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { formatInstant } from "../core/instant.js";
import type { Origin } from "../core/provenance.js";
import { showValue } from "../core/show-value.js";
import { historyOfColumns } from "../history/build-history.js";
import { type ChangeLog, NONE } from "../history/log/change-log.js";
import { instantsOf, logFromRows, noTime, readTimes } from "../history/log/log-from-rows.js";
import { resolveTimeZone } from "../history/time/valid-time.js";
import { type History, Layer } from "../layer/layer.js";
import type { LayerInput } from "../layer/layer-data.js";
import type { Column } from "../tables/column/column.js";
import type { BaseField } from "../tables/read/feature-columns.js";
import {
  type CodedValues,
  codeValues,
  type EntityColumns,
  type FieldOf,
  type LogColumns,
  type LogFields,
  type LogTimes,
  noField,
  rowReader,
} from "../tables/read/log-columns.js";
import type { ChangeRows, FromChangesOptions } from "./changes-options.js";

/** What answers lack of which such a log knows nothing. */
const LACKS = ["visible_id", "change_id", "root_change_id", "caused_by_change_id", "property_key", "system"] as const;

/** The history of a log; `options` are checked already. */
export async function historyOfChanges<Row>(rows: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<History> {
  const { log, ids, createdUs, present, findings, hasUsers } = await readChanges(rows, options);
  const readAt = options.readAt?.getTime() ?? Date.now();
  const base = new Map<BaseField, Column>([["id", ids]]);
  if (options.created !== undefined) {
    base.set(
      "created_at",
      Array.from(createdUs, (us) => (Number.isFinite(us) ? formatInstant(us) : null)),
    );
  }
  const input: LayerInput = {
    features: { rowCount: ids.length, base, properties: new Map<string, Column>() },
    definitions: [],
    datasets: [],
    layoutDatasetIds: [],
    origin: originOf(rows),
    readAt,
    findings,
    options: { duplicateNames: "merge", optionLabels: false },
  };
  const names = [...new Set([...(present?.keys() ?? []), ...log.keys])];
  const history: History = historyOfColumns(input, log, {
    columns: names.map((name) => ({ key: name, column: columnName(name, base, names), values: present?.get(name) })),
    lacks: new Set<string>([...LACKS, ...(hasUsers ? [] : ["user_id"])]),
    ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
    chosen: options.columns,
    readAt,
    findings,
    layerOf: (past) => new Layer({ ...input, features: past.features }, async () => history, past, past.asOf),
  });
  return history;
}

/** A log of changes as it was read, and what it is about. */
export interface ChangesRead {
  readonly log: ChangeLog;
  readonly hasUsers: boolean;
  /** The entities by row. */
  readonly ids: readonly unknown[];
  /** Since when each exists, microseconds since 1970; −Infinity where nobody knows. */
  readonly createdUs: Float64Array;
  /** The present values by property; undefined where the last changes tell them. */
  readonly present: ReadonlyMap<string, Column> | undefined;
  readonly findings: readonly Finding[];
}

/** Reads a log and its entities. */
export async function readChanges<Row>(given: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<ChangesRead> {
  if (options.timeZone !== undefined) resolveTimeZone(options.timeZone);
  const log = await readLog(given, options);
  const table = options.entities === undefined ? undefined : await readEntities(options.entities);
  refuseMissing(log.ids, "id");
  if (log.keys) refuseMissing(log.keys, "key");
  const timesUs = instantsOf(timesOf(log, "time", log.times), options.timeZone, "time");
  const undated = timesUs.findIndex(Number.isNaN);
  if (undated >= 0) throw noTime("time", null, undated);
  const keys = log.keys?.values.map(String) ?? [options.property as string];
  const entities = table ? entitiesOf(log, table, options) : loggedEntities(log);
  const sequence = log.sequence && timesOf(log, "sequence", log.sequence);
  const { values, previous } = log.isText ? typedValues(log, keys.length) : log;
  const rows = table ? log.ids.codes.map((code) => entities.rowOfCode[code] as number) : log.ids.codes;
  const read = logFromRows({
    rows,
    keyCodes: log.keys?.codes ?? new Int32Array(log.length),
    keys,
    values,
    previous,
    users: log.users,
    timesUs,
    sequence: sequence && {
      order: instantsOf(sequence, options.timeZone, "sequence"),
      areTimes: sequence.areTimes,
    },
    createdUs: entities.createdUs,
  });
  return {
    log: read.log,
    hasUsers: log.users !== undefined,
    ids: entities.ids,
    createdUs: entities.createdUs,
    present: table && presentColumns(table, options),
    findings: [...strangerFinding(log.ids, entities), ...read.findings],
  };
}

function originOf(rows: unknown): Origin {
  const path = pathOf(rows);
  return { kind: "memory", name: path === undefined ? "changes" : basename(path) };
}

function pathOf(rows: unknown): string | undefined {
  if (rows instanceof URL) return fileURLToPath(rows);
  return typeof rows === "string" ? rows : undefined;
}

async function readLog<Row>(rows: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<LogColumns> {
  const fields: LogFields = {
    id: options.id,
    key: options.key,
    value: options.value,
    time: options.time,
    sequence: options.sequence,
    user: options.user,
    previous: options.previous,
  };
  const path = pathOf(rows);
  if (path !== undefined) {
    const { readLogFile } = await import("../tables/sql/log-file.js");
    return readLogFile(path, fields, { timeFormat: options.timeFormat });
  }
  if (options.timeFormat !== undefined) {
    throw new ArgumentError("The option timeFormat is for files of CSV; these rows are at hand.", {
      hint: "Give a function that makes Dates: time: (row) => new Date(row.at).",
    });
  }
  return readRows(rows, fields);
}

function readRows(rows: unknown, fields: LogFields): LogColumns {
  const reader = rowReader(rows, "the rows");
  const { length } = reader;
  const coded = (option: keyof LogFields, field: FieldOf) => codeValues(length, reader.read(field, option));
  const optional = (option: keyof LogFields) => {
    const field = fields[option];
    return field === undefined ? undefined : coded(option, field);
  };
  return {
    length,
    ids: coded("id", fields.id),
    keys: optional("key"),
    values: coded("value", fields.value),
    previous: optional("previous"),
    users: optional("user"),
    times: coded("time", fields.time),
    sequence: optional("sequence"),
    isText: false,
  };
}

async function readEntities(given: unknown): Promise<EntityColumns> {
  const path = pathOf(given);
  if (path !== undefined) return (await import("../tables/sql/log-file.js")).readEntityFile(path);
  const { length, names, read } = rowReader(given, "the entities");
  const columns = names.map((name) => {
    const { codes, values } = codeValues(length, read(name, "entities"));
    return [name, Array.from(codes, (code) => (code === NONE ? null : values[code]))] as const;
  });
  return { length, columns: new Map(columns), isText: false };
}

/** The entities of a log: their ids by row, and since when they exist. */
interface Entities {
  readonly ids: readonly unknown[];
  /** −Infinity where nobody knows. */
  readonly createdUs: Float64Array;
  /** Row of each code of the log's ids. */
  readonly rowOfCode: Int32Array;
}

function timesOf({ length }: LogColumns, option: "time" | "sequence", given: LogTimes | CodedValues): LogTimes {
  if ("us" in given) return given;
  const { codes, values } = given;
  return readTimes(length, (row) => values[codes[row] as number], { option, numbers: option === "sequence" });
}

/** A property that is called like a field of the entities themselves is `properties.<name>`, as in layers. */
function columnName(name: string, base: ReadonlyMap<string, unknown>, names: readonly string[]): string {
  let free = name;
  while (base.has(free) || (free !== name && names.includes(free))) free = `properties.${free}`;
  return free;
}

function refuseMissing({ codes }: CodedValues, option: string): void {
  const row = codes.indexOf(NONE);
  if (row < 0) return;
  throw new ArgumentError(`Row ${row} has no value in the column of the option ${option}.`, {
    hint: "Leave such rows out, or give a function of the row that tells what they are about.",
    facts: { option, row },
  });
}

/** The entities that a log knows, in order of their first change. */
function loggedEntities({ ids }: LogColumns): Entities {
  const { values } = ids;
  return {
    ids: values,
    createdUs: new Float64Array(values.length).fill(Number.NEGATIVE_INFINITY),
    rowOfCode: Int32Array.from(values, (_, code) => code),
  };
}

function entitiesOf<Row>(log: LogColumns, table: EntityColumns, options: FromChangesOptions<Row>): Entities {
  const name = idColumn(options);
  const ids = entityValues(table, name, "entityId");
  // CSV has texts for numbers where one id is none.
  const { values } = log.ids;
  const areTexts = values.length > 0 && values.every((id) => typeof id === "string");
  const keyOf = areTexts ? String : (id: unknown) => id;
  const rowOf = new Map<unknown, number>();
  for (const [row, id] of ids.entries()) {
    if (id === null || id === undefined)
      throw new ArgumentError(`Row ${row} of the entities has no ${showValue(name)}.`);
    if (rowOf.has(keyOf(id))) {
      throw new ArgumentError(`The entity ${showValue(id)} stands in rows ${rowOf.get(keyOf(id))} and ${row}.`, {
        hint: "Give a table with one row an entity: its present values.",
      });
    }
    rowOf.set(keyOf(id), row);
  }
  const createdUs = new Float64Array(ids.length).fill(Number.NEGATIVE_INFINITY);
  if (options.created !== undefined) {
    const column = entityValues(table, options.created, "created");
    const known = Array.from(ids.keys()).filter((row) => column[row] !== null && column[row] !== undefined);
    const times = readTimes(known.length, (place) => column[known[place] as number], {
      option: "created",
      numbers: false,
    });
    instantsOf(times, options.timeZone, "created").forEach((us, place) => {
      createdUs[known[place] as number] = us;
    });
  }
  return { ids: ids.map(keyOf), createdUs, rowOfCode: Int32Array.from(log.ids.values, (id) => rowOf.get(id) ?? NONE) };
}

function idColumn<Row>({ id, entityId }: FromChangesOptions<Row>): string {
  if (entityId !== undefined) return entityId;
  if (typeof id === "string") return id;
  throw new ArgumentError("The option entities needs entityId where id is a function.", {
    hint: "Give the name of the column in which the entities have their ids.",
  });
}

/** The present values by property. */
function presentColumns<Row>(table: EntityColumns, options: FromChangesOptions<Row>): ReadonlyMap<string, Column> {
  const own = [idColumn(options), options.created];
  const names = [...table.columns.keys()].filter((name) => !own.includes(name));
  return new Map(names.map((name) => [name, entityValues(table, name, "entities")]));
}

function entityValues({ columns, length, isText }: EntityColumns, name: string, option: string): readonly unknown[] {
  const column = columns.get(name);
  if (!column) throw noField(option, name, [...columns.keys()], "the entities");
  if (!isText) return Array.from(column);
  const { values: typed } = typedValues({ values: codeValues(length, (row) => column[row]) }, 1);
  return Array.from(typed.codes, (code) => (code === NONE ? null : typed.values[code]));
}

/** That changes are left out, since nobody knows their entity. */
function strangerFinding({ codes, values }: CodedValues, { rowOfCode }: Entities): readonly Finding[] {
  const strangers = values.filter((_, code) => rowOfCode[code] === NONE);
  if (strangers.length === 0) return [];
  const count = codes.reduce((sum, code) => sum + Number(rowOfCode[code] === NONE), 0);
  const [changes, are] = count === 1 ? ["change", "is"] : ["changes", "are"];
  const entities = strangers.length === 1 ? "1 entity" : `${strangers.length} entities`;
  return [
    {
      code: "change-without-feature",
      message: `${count} ${changes} of ${entities} that the table of entities does not have ${are} left out: ${strangers
        .slice(0, 3)
        .map((id) => showValue(id))
        .join(", ")}${strangers.length > 3 ? ", …" : ""}.`,
      count,
      facts: { ids: strangers.slice(0, 100) },
    },
  ];
}

/** Values by property; without keys all are of one. */
interface LogValues {
  readonly keys?: CodedValues | undefined;
  readonly values: CodedValues;
  readonly previous?: CodedValues | undefined;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const BOOLEAN = /^(true|false)$/;

/**
 * The values of a log of texts: numbers where every value of a property is written as one, likewise booleans. A text such as
 * `007` is no number.
 */
function typedValues(log: LogValues, keyCount: number): Omit<LogValues, "keys"> {
  const columns = [log.values, ...(log.previous ? [log.previous] : [])];
  const areNumbers = new Uint8Array(keyCount).fill(1);
  const areBooleans = new Uint8Array(keyCount).fill(1);
  for (const { codes, values } of columns) {
    const isNumber = Uint8Array.from(values, (value) => Number(NUMBER.test(value as string)));
    const isBoolean = Uint8Array.from(values, (value) => Number(BOOLEAN.test(value as string)));
    for (let row = 0; row < codes.length; row += 1) {
      const code = codes[row] as number;
      if (code === NONE) continue;
      const key = log.keys ? (log.keys.codes[row] as number) : 0;
      areNumbers[key] = (areNumbers[key] as number) & (isNumber[code] as number);
      areBooleans[key] = (areBooleans[key] as number) & (isBoolean[code] as number);
    }
  }
  const typed = ({ codes, values }: CodedValues): CodedValues => {
    // Behind the texts the same as numbers or booleans, where a property has them.
    const other = values.map((value) => {
      const text = value as string;
      return NUMBER.test(text) ? Number(text) : text === "true";
    });
    const typedCodes = codes.map((code, row) => {
      const key = log.keys ? (log.keys.codes[row] as number) : 0;
      return code !== NONE && (areNumbers[key] === 1 || areBooleans[key] === 1) ? code + values.length : code;
    });
    return { codes: typedCodes, values: [...values, ...other] };
  };
  return { values: typed(log.values), previous: log.previous && typed(log.previous) };
}
