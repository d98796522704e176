import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { ColumnTable } from "arquero";
import { firstOf } from "../core/counted.js";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { formatInstant } from "../core/instant.js";
import { checkOptions } from "../core/options.js";
import type { Origin } from "../core/provenance.js";
import { showValue } from "../core/show-value.js";
import { historyOfColumns } from "../history/build-history.js";
import { historyRules } from "../history/history-options.js";
import { type ChangeLog, NONE } from "../history/log/change-log.js";
import { instantsOf, logFromRows, readTimes } from "../history/log/log-from-rows.js";
import { resolveTimeZone } from "../history/time/valid-time.js";
import { type History, Layer, type OpenHistory } from "../layer/layer.js";
import type { LayerInput } from "../layer/layer-data.js";
import type { Column } from "../tables/column/column.js";
import type { CsvFormat } from "../tables/csv/read-csv.js";
import type { BaseField } from "../tables/read/feature-columns.js";
import {
  type ArrowLike,
  type CodedValues,
  codeValues,
  type EntityColumns,
  type FieldOf,
  type LogColumns,
  type LogFields,
  type LogTimes,
  noField,
  numbersWhereAll,
  rowReader,
} from "../tables/read/log-columns.js";
import { noTime, type ReadTime, timeReader } from "../tables/read/log-times.js";

/** A column by its name, or a function of a row. */
export type ChangeField<Row> = string | ChangeValue<Row>;

/**
 * Takes a value from a row of a log.
 *
 * @param row as it was given; of tables an object with the value of each column
 * @param index its place, from 0
 */
export type ChangeValue<Row> = (row: Row, index: number) => unknown;

/** Rows of a log: objects, an Arquero or Arrow table, or the path of a file. */
export type ChangeRows<Row> = Iterable<Row> | ColumnTable | ArrowLike | string | URL;

/** Options of `fromChanges()`. A column is the name of one, or of rows at hand a function of a row. */
export interface FromChangesOptions<Row = Readonly<Record<string, unknown>>> {
  /** Column of the entity that was changed: numbers or texts. */
  readonly id: ChangeField<Row>;
  /** Column of the property that was changed. */
  readonly key?: ChangeField<Row> | undefined;
  /** Name of the only property, in place of `key`, where the log is about one. */
  readonly property?: string | undefined;
  /** Column of the new value; null where it was cleared. */
  readonly value: ChangeField<Row>;
  /**
   * Column of the time since which the value holds: `Date`s, ISO 8601 texts, Temporal's. A calendar date is its midnight. What
   * names no zone is of clocks in `timeZone`, which must be given then.
   */
  readonly time: ChangeField<Row>;
  /**
   * Column that orders insertion, which decides between changes of one time: numbers, or the times at which changes were
   * recorded, which `knownAt()` needs. The order of rows if absent.
   */
  readonly sequence?: ChangeField<Row> | undefined;
  /** Column of who made the change. */
  readonly user?: ChangeField<Row> | undefined;
  /** Column of the value before. It tells what was there before the first change; contradictions are a finding. */
  readonly previous?: ChangeField<Row> | undefined;
  /**
   * The entities with their present values: a table with a column called as `id` (or `entityId`), one row each. Changes of
   * others are left out, which is a finding. Default: the entities of the log, with the values of their
   * last changes up to the time of reading.
   */
  readonly entities?: Iterable<object> | ColumnTable | ArrowLike | string | URL | undefined;
  /** Column of the ids in `entities`; `id` if absent. */
  readonly entityId?: string | undefined;
  /** Column of `entities` with the time at which each was created. */
  readonly created?: string | undefined;
  /** Format of times that are strings, as for `strptime`: `"%d/%b/%y %I:%M %p"`. Default: ISO 8601. */
  readonly timeFormat?: string | undefined;
  /** Delimiter of CSV files: one ASCII character. Default: comma, semicolon, tab or bar, whichever separates the columns. */
  readonly delimiter?: string | undefined;
  /** Encoding of CSV files, such as `"windows-1252"`. Default: UTF-8, or UTF-16 if the file has its byte order mark. */
  readonly encoding?: string | undefined;
  /** IANA time zone of times that name none, and in which calendar dates begin and end; for these UTC if absent. */
  readonly timeZone?: string | undefined;
  /** When the log was read; now if absent. What still holds ends there. */
  readonly readAt?: Date | undefined;
  /** Properties that the history is about; all if absent. */
  readonly columns?: readonly string[] | undefined;
}

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
    blocks: [],
    findings,
    options: { duplicateNames: "merge", optionLabels: false },
  };
  const names = [...new Set([...(present?.keys() ?? []), ...log.keys])];
  const columns = names.map((name) => ({
    key: name,
    column: columnName(name, base, names),
    values: present?.get(name),
  }));
  const areRecorded = log.length > 0 && log.ids.timeMs(log.length - 1) !== undefined;
  const lacks = new Set<string>([...LACKS, ...(hasUsers ? [] : ["user_id"]), ...(areRecorded ? [] : ["recorded_at"])]);
  const historyWith = (zone: string | undefined, chosen: readonly string[] | undefined, layer?: Layer): History =>
    historyOfColumns(input, log, {
      columns,
      lacks,
      ...(zone === undefined ? {} : { timeZone: zone }),
      chosen,
      ...(layer ? { layer } : {}),
      readAt,
      findings,
      layerOf: (past) => new Layer({ ...input, features: past.features }, openHistory, past, past.asOf),
    });
  const openHistory: OpenHistory = async (layer, given) => {
    checkOptions("history()", given, historyRules);
    return historyWith(given.timeZone ?? options.timeZone, given.columns ?? options.columns, layer);
  };
  return historyWith(options.timeZone, options.columns);
}

/** A log of changes as it was read, and what it is about. */
export interface ChangesRead {
  readonly log: ChangeLog;
  readonly hasUsers: boolean;
  /** The entities by row. */
  readonly ids: readonly unknown[];
  /** Since when each exists, microseconds since 1970; −Infinity where nobody knows. */
  readonly createdUs: Float64Array;
  /** The present values by property; undefined if the log has them. */
  readonly present: ReadonlyMap<string, Column> | undefined;
  readonly findings: readonly Finding[];
}

/** Reads a log and its entities. Errors about a row of a file name the file. */
export async function readChanges<Row>(given: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<ChangesRead> {
  try {
    return await readLogAndEntities(given, options);
  } catch (error) {
    const isOfRow = error instanceof ArgumentError && typeof error.facts?.["row"] === "number";
    const path = isOfRow ? pathOf(error.facts["option"] === "created" ? options.entities : given) : undefined;
    if (!isOfRow || path === undefined || error.message.includes(path)) throw error;
    throw new ArgumentError(`${showValue(basename(path))}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      facts: { ...error.facts, path },
    });
  }
}

async function readLogAndEntities<Row>(given: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<ChangesRead> {
  if (options.timeZone !== undefined) resolveTimeZone(options.timeZone);
  const readTime = timeReader(options.timeFormat);
  const log = await readLog(given, options, readTime);
  const table = options.entities === undefined ? undefined : await readEntities(options.entities, options);
  refuseMissing(log.ids, "id");
  if (log.keys) refuseMissing(log.keys, "key");
  const timesUs = definite(instantsOf(timesOf(log, "time", log.times, readTime), options.timeZone, "time"), "time");
  const keys = log.keys?.values.map(String) ?? [options.property as string];
  const entities = table ? entitiesOf(log, table, options, readTime) : loggedEntities(log);
  const sequence = log.sequence && timesOf(log, "sequence", log.sequence, readTime);
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
      order: definite(instantsOf(sequence, options.timeZone, "sequence"), "sequence"),
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
    findings: [...log.findings, ...(table?.findings ?? []), ...strangerFinding(log.ids, entities), ...read.findings],
  };
}

function originOf(rows: unknown): Origin {
  const path = pathOf(rows);
  return { kind: "memory", name: path === undefined ? "changes" : basename(path) };
}

function pathOf(rows: unknown): string | undefined {
  if (rows instanceof URL) {
    if (rows.protocol === "file:") return fileURLToPath(rows);
    throw new ArgumentError(`${showValue(rows.href)} is no file on this machine.`, {
      hint: "Fetch it first, and give the path of the file, or its rows.",
    });
  }
  return typeof rows === "string" ? rows : undefined;
}

async function readLog<Row>(
  rows: ChangeRows<Row>,
  options: FromChangesOptions<Row>,
  readTime: ReadTime,
): Promise<LogColumns> {
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
    const { readLogFile } = await import("../tables/read/log-file.js");
    return readLogFile(path, fields, csvFormat(options), readTime);
  }
  if (pathOf(options.entities) === undefined) refuseCsvOptions(options);
  return readRows(rows, fields);
}

function csvFormat<Row>({ delimiter, encoding }: FromChangesOptions<Row>): CsvFormat {
  return { delimiter, encoding };
}

function refuseCsvOptions<Row>(options: FromChangesOptions<Row>): void {
  const [option] = Object.entries(csvFormat(options)).find(([, value]) => value !== undefined) ?? [];
  if (option === undefined) return;
  throw new ArgumentError(`The option ${option} is for CSV files, but the rows are in memory.`, {
    hint: `Remove ${option}.`,
    facts: { option },
  });
}

function readRows(rows: unknown, fields: LogFields): LogColumns {
  const reader = rowReader(rows, "the rows");
  const { length } = reader;
  const coded = (option: keyof LogFields, field: FieldOf) => codeValues(length, reader.read(field, option), option);
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
    findings: [],
  };
}

async function readEntities<Row>(given: unknown, options: FromChangesOptions<Row>): Promise<EntityColumns> {
  const path = pathOf(given);
  if (path !== undefined) {
    const { readEntityFile } = await import("../tables/read/log-file.js");
    const { created } = options;
    const wanted = new Map([
      ["entityId", idColumn(options)],
      ...(created === undefined ? [] : [["created", created] as const]),
    ]);
    return readEntityFile(path, wanted, csvFormat(options));
  }
  const { length, names, read } = rowReader(given, "the entities");
  const columns = names().map((name) => {
    const { codes, values } = codeValues(length, read(name, "entities"), "entities");
    return [name, Array.from(codes, (code) => (code === NONE ? null : values[code]))] as const;
  });
  return { length, columns: new Map(columns), isText: false, findings: [] };
}

/** The entities of a log: their ids by row, and since when they exist. */
interface Entities {
  readonly ids: readonly unknown[];
  /** −Infinity where nobody knows. */
  readonly createdUs: Float64Array;
  /** Row of each code of the log's ids. */
  readonly rowOfCode: Int32Array;
}

function timesOf(
  { length }: LogColumns,
  option: "time" | "sequence",
  given: LogTimes | CodedValues,
  readTime: ReadTime,
): LogTimes {
  if ("us" in given) return given;
  const { codes, values } = given;
  return readTimes(length, (row) => values[codes[row] as number], { option, numbers: option === "sequence", readTime });
}

/** Files have NaN where they say none. */
function definite(times: Float64Array, option: string): Float64Array {
  for (let row = 0; row < times.length; row += 1) if (Number.isNaN(times[row])) throw noTime(option, null, row);
  return times;
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
    rowOfCode: new Int32Array(values.length).map((_, code) => code),
  };
}

function entitiesOf<Row>(
  log: LogColumns,
  table: EntityColumns,
  options: FromChangesOptions<Row>,
  readTime: ReadTime,
): Entities {
  const name = idColumn(options);
  const ids = entityIds(table, name);
  // A log of CSV has texts for numbers where one id is none.
  const { values } = log.ids;
  const areTexts = values.length > 0 && values.every((id) => typeof id === "string");
  const keyOf = areTexts ? String : (id: unknown) => id;
  const rowOf = new Map<unknown, number>();
  for (const [row, id] of ids.entries()) {
    if (id === null || id === undefined)
      throw new ArgumentError(`Row ${row} of the entities has no ${showValue(name)}.`);
    if (rowOf.has(keyOf(id))) {
      throw new ArgumentError(`Rows ${rowOf.get(keyOf(id))} and ${row} of the entities have the same id.`, {
        hint: "Give a table with one row per entity: its current values.",
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
      readTime,
      rows: known,
    });
    instantsOf(times, options.timeZone, "created").forEach((us, place) => {
      createdUs[known[place] as number] = us;
    });
  }
  return { ids: ids.map(keyOf), createdUs, rowOfCode: Int32Array.from(log.ids.values, (id) => rowOf.get(id) ?? NONE) };
}

/** Ids as the log has them: of CSV numbers where all are. */
function entityIds({ columns, length, isText }: EntityColumns, name: string): readonly unknown[] {
  const column = columns.get(name);
  if (!column) throw noField("entityId", name, [...columns.keys()], "the entities");
  if (!isText) return Array.from(column);
  const { codes, values } = numbersWhereAll(codeValues(length, (row) => column[row], "entityId"));
  return Array.from(codes, (code) => values[code]);
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
  const { values: typed } = typedValues({ values: codeValues(length, (row) => column[row], option) }, 1);
  return Array.from(typed.codes, (code) => (code === NONE ? null : typed.values[code]));
}

/** Rows that a diagnostic lists. */
const MOST_ROWS = 100;

/** That changes are left out, since nobody knows their entity. */
function strangerFinding({ codes, values }: CodedValues, { rowOfCode }: Entities): readonly Finding[] {
  const strangers = values.filter((_, code) => rowOfCode[code] === NONE);
  if (strangers.length === 0) return [];
  const rows = Array.from(codes.keys()).filter((row) => rowOfCode[codes[row] as number] === NONE);
  const count = rows.length;
  const [changes, are, inRows] = count === 1 ? ["change", "is", "row"] : ["changes", "are", "rows"];
  const entities = strangers.length === 1 ? "1 entity" : `${strangers.length} entities`;
  return [
    {
      code: "change-without-feature",
      message: `${count} ${changes} of ${entities} that the table of entities does not have ${are} left out (${inRows} ${firstOf(rows.slice(0, MOST_ROWS).map(String), 3, { total: count })}).`,
      count,
      facts: { rows: rows.slice(0, MOST_ROWS) },
    },
  ];
}

/** Values by property; without keys all are of one. */
interface LogValues {
  readonly keys?: CodedValues | undefined;
  readonly values: CodedValues;
  readonly previous?: CodedValues | undefined;
}

const NINE = 0x39;

/**
 * Whether a string is a number that is written back as the same string. Others stay strings, since two of them may be one number:
 * the revisions 1.1 and 1.10, the blocks 1E2 and 100, integers of more digits than a double holds.
 */
function isNumberText(text: string): boolean {
  // Most texts are told by how they begin, which takes a fraction of the time.
  if (text.charCodeAt(0) > NINE) return false;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text;
}

/** What a text may stand for. */
const kinds = { none: 0, number: 1, boolean: 2, any: 3 } as const;

function kindOf(text: string): number {
  if (text === "true" || text === "false") return kinds.boolean;
  return isNumberText(text) ? kinds.number : kinds.none;
}

/**
 * The values of a log of texts: numbers where every value of a property is written as one, likewise booleans. A text such as
 * `007` or `1.10` stays a string, as does a number with more digits than a double has.
 */
function typedValues(log: LogValues, keyCount: number): Omit<LogValues, "keys"> {
  const keyCodes = log.keys?.codes ?? new Int32Array(log.values.codes.length);
  const columns = [log.values, ...(log.previous ? [log.previous] : [])];
  const kindsOf = columns.map(({ values }) => Uint8Array.from(values as readonly string[], kindOf));
  const common = new Uint8Array(keyCount).fill(kinds.any);
  for (const [place, { codes }] of columns.entries()) {
    const own = kindsOf[place] as Uint8Array;
    for (let row = 0; row < codes.length; row += 1) {
      const code = codes[row] as number;
      if (code === NONE) continue;
      const key = keyCodes[row] as number;
      common[key] = (common[key] as number) & (own[code] as number);
    }
  }
  const [values, previous] = columns.map(({ codes, values: texts }, place) => {
    const typed = behindTexts(texts as readonly string[], kindsOf[place] as Uint8Array);
    const typedCodes = codes.slice();
    for (let row = 0; row < codes.length; row += 1) {
      const code = codes[row] as number;
      if (code !== NONE && common[keyCodes[row] as number] !== kinds.none)
        typedCodes[row] = typed.codes[code] as number;
    }
    return { codes: typedCodes, values: typed.values, areDistinct: true };
  });
  return { values: values as CodedValues, previous };
}

/** Texts, and behind them the numbers and booleans that some stand for: each once. The codes are those by text. */
function behindTexts(texts: readonly string[], kindOfText: Uint8Array): CodedValues {
  const values: unknown[] = [...texts];
  const codes = new Int32Array(texts.length);
  const codeOf = new Map<unknown, number>();
  for (const [code, text] of texts.entries()) {
    if (kindOfText[code] === kinds.none) continue;
    const value = kindOfText[code] === kinds.number ? Number(text) : text === "true";
    const known = codeOf.get(value) ?? values.push(value) - 1;
    codeOf.set(value, known);
    codes[code] = known;
  }
  return { codes, values };
}
