import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { firstOf } from "../core/counted.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError, SiteframeError } from "../core/errors.js";
import { formatInstant } from "../core/format/format-date.js";
import { checkOptions } from "../core/options.js";
import type { Origin } from "../core/provenance.js";
import { showValue } from "../core/show-value.js";
import { checkTimeZones, resolveTimeZone } from "../core/time-zone.js";
import { historyOfColumns } from "../history/build-history.js";
import { historyRules } from "../history/history-options.js";
import { type ChangeLog, NONE } from "../history/log/change-log.js";
import { instantsOf, logFromRows, readTimes } from "../history/log/log-from-rows.js";
import { layerTimeZone } from "../layer/build-layer.js";
import { type History, Layer, type OpenHistory } from "../layer/layer.js";
import type { LayerInput } from "../layer/layer-data.js";
import type { Column } from "../tables/column/column.js";
import type { CsvFormat } from "../tables/csv/read-csv.js";
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
  numbersWhereAll,
  rowReader,
} from "../tables/read/log-columns.js";
import { noTime, type ReadTime, timeReader } from "../tables/read/log-times.js";
import type { ChangeRows, FromChangesOptions } from "./changes-options.js";

/** Columns that tables lack, since such a log has no values for them. */
const LACKS = ["visible_id", "change_id", "root_change_id", "caused_by_change_id", "property_key", "system"] as const;

/** Returns the history of a log; `options` were checked. */
export async function historyOfChanges<Row>(rows: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<History> {
  const { log, ids, createdUs, present, diagnostics, hasUsers } = await readChanges(rows, options);
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
    diagnostics,
    timeZone: options.timeZone ?? "UTC",
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
  const historyWith = (timeZone: string, chosen: readonly string[] | undefined, layer?: Layer): History =>
    historyOfColumns(input, log, {
      columns,
      lacks,
      timeZone,
      chosen,
      ...(layer ? { layer } : {}),
      readAt,
      diagnostics,
      layerOf: (past) => new Layer({ ...input, features: past.features, timeZone }, openHistory, past, past.asOf),
    });
  const openHistory: OpenHistory = async (layer, given) => {
    checkOptions("history()", given, historyRules);
    checkTimeZones(given.timeZone);
    const { timeZone } = layerTimeZone([given.timeZone, input.timeZone], layer.input);
    return historyWith(timeZone, given.columns ?? options.columns, layer);
  };
  return historyWith(input.timeZone, options.columns);
}

/** A log of changes, and its entities. */
export interface ChangesRead {
  readonly log: ChangeLog;
  readonly hasUsers: boolean;
  /** Ids of the entities by row. */
  readonly ids: readonly unknown[];
  /** Creation times in microseconds since 1970; −Infinity if unknown. */
  readonly createdUs: Float64Array;
  /** Current values by property; undefined if they come from the log. */
  readonly present: ReadonlyMap<string, Column> | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a log and its entities. Errors about a row of a file contain the file name. */
export async function readChanges<Row>(given: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<ChangesRead> {
  try {
    return await readLogAndEntities(given, options);
  } catch (error) {
    const isOfRow = error instanceof SiteframeError && typeof error.facts?.["row"] === "number";
    const path = isOfRow ? pathOf(error.facts["option"] === "created" ? options.entities : given) : undefined;
    if (!isOfRow || path === undefined || error.facts["path"] !== undefined) throw error;
    throw new ArgumentError(
      `fromChanges(): ${showValue(basename(path))}: ${error.message.replace("fromChanges(): ", "")}`,
      {
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        facts: { ...error.facts, path },
      },
    );
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
    diagnostics: [
      ...log.diagnostics,
      ...(table?.diagnostics ?? []),
      ...strangerDiagnostic(log.ids, entities),
      ...read.diagnostics,
    ],
  };
}

function originOf(rows: unknown): Origin {
  const path = pathOf(rows);
  return { kind: "memory", name: path === undefined ? "changes" : basename(path) };
}

function pathOf(rows: unknown): string | undefined {
  if (rows instanceof URL) {
    if (rows.protocol === "file:") return fileURLToPath(rows);
    throw new ArgumentError(`fromChanges(): unsupported address ${showValue(rows.href)}.`, {
      hint: "Download the file, and pass its path or its rows.",
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
  throw new ArgumentError(`fromChanges(): \`${option}\` is for CSV files, but the rows are in memory.`, {
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
    diagnostics: [],
  };
}

async function readEntities<Row>(given: unknown, options: FromChangesOptions<Row>): Promise<EntityColumns> {
  const path = pathOf(given);
  if (path !== undefined) {
    const { readEntityFile } = await import("../tables/read/log-file.js");
    const { created } = options;
    const columnOf = new Map([
      ["entityId", idColumn(options)],
      ...(created === undefined ? [] : [["created", created] as const]),
    ]);
    return readEntityFile(path, columnOf, csvFormat(options));
  }
  const { length, names, read } = rowReader(given, "the entities");
  const columns = names().map((name) => {
    const { codes, values } = codeValues(length, read(name, "entities"), "entities");
    return [name, Array.from(codes, (code) => (code === NONE ? null : values[code]))] as const;
  });
  return { length, columns: new Map(columns), isText: false, diagnostics: [] };
}

/** Entities of a log: their ids by row, and their creation times. */
interface Entities {
  readonly ids: readonly unknown[];
  /** Microseconds since 1970; −Infinity if unknown. */
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

/** Files have NaN for missing times. */
function definite(times: Float64Array, option: string): Float64Array {
  for (let row = 0; row < times.length; row += 1) if (Number.isNaN(times[row])) throw noTime(option, null, row);
  return times;
}

/** A property with the same name as a field of the entities is called `properties.<name>`, as in layers. */
function columnName(name: string, base: ReadonlyMap<string, unknown>, names: readonly string[]): string {
  let free = name;
  while (base.has(free) || (free !== name && names.includes(free))) free = `properties.${free}`;
  return free;
}

function refuseMissing({ codes }: CodedValues, option: string): void {
  const row = codes.indexOf(NONE);
  if (row < 0) return;
  throw new ArgumentError(`fromChanges(): row ${row} has no value in the column of the option ${option}.`, {
    hint: "Remove such rows, or pass a function that returns the value of a row.",
    facts: { option, row },
  });
}

/** The entities in a log, in order of their first change. */
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
  // The ids of a CSV log are strings if one of them is not a number.
  const { values } = log.ids;
  const areTexts = values.length > 0 && values.every((id) => typeof id === "string");
  const keyOf = areTexts ? String : (id: unknown) => id;
  const rowOf = new Map<unknown, number>();
  for (const [row, id] of ids.entries()) {
    if (id === null || id === undefined)
      throw new ArgumentError(`fromChanges(): row ${row} of \`entities\` has no ${showValue(name)}.`);
    if (rowOf.has(keyOf(id))) {
      throw new ArgumentError(
        `fromChanges(): rows ${rowOf.get(keyOf(id))} and ${row} of \`entities\` have the same id.`,
        {
          hint: "Pass one row per entity, with its current values.",
        },
      );
    }
    rowOf.set(keyOf(id), row);
  }
  const createdUs = new Float64Array(ids.length).fill(Number.NEGATIVE_INFINITY);
  if (options.created !== undefined) {
    const column = entityValues(table, options.created, "created");
    const datedRows = Array.from(ids.keys()).filter((row) => column[row] !== null && column[row] !== undefined);
    const times = readTimes(datedRows.length, (index) => column[datedRows[index] as number], {
      option: "created",
      numbers: false,
      readTime,
      rows: datedRows,
    });
    instantsOf(times, options.timeZone, "created").forEach((us, index) => {
      createdUs[datedRows[index] as number] = us;
    });
  }
  return { ids: ids.map(keyOf), createdUs, rowOfCode: Int32Array.from(log.ids.values, (id) => rowOf.get(id) ?? NONE) };
}

/** Ids in the form of the log: numbers if all ids of a CSV file are numbers. */
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
  throw new ArgumentError("fromChanges(): the option entityId is missing, and `id` is a function.", {
    hint: 'Add the column of `entities` with the ids: { entityId: "id" }.',
  });
}

/** Current values by property. */
function presentColumns<Row>(table: EntityColumns, options: FromChangesOptions<Row>): ReadonlyMap<string, Column> {
  const ownColumns = [idColumn(options), options.created];
  const names = [...table.columns.keys()].filter((name) => !ownColumns.includes(name));
  return new Map(names.map((name) => [name, entityValues(table, name, "entities")]));
}

function entityValues({ columns, length, isText }: EntityColumns, name: string, option: string): readonly unknown[] {
  const column = columns.get(name);
  if (!column) throw noField(option, name, [...columns.keys()], "the entities");
  if (!isText) return Array.from(column);
  const { values: typed } = typedValues({ values: codeValues(length, (row) => column[row], option) }, 1);
  return Array.from(typed.codes, (code) => (code === NONE ? null : typed.values[code]));
}

/** Maximum count of rows in a diagnostic. */
const MOST_ROWS = 100;

/** Diagnostic for skipped changes of unknown entities. */
function strangerDiagnostic({ codes, values }: CodedValues, { rowOfCode }: Entities): readonly Diagnostic[] {
  const strangers = values.filter((_, code) => rowOfCode[code] === NONE);
  if (strangers.length === 0) return [];
  const rows = Array.from(codes.keys()).filter((row) => rowOfCode[codes[row] as number] === NONE);
  const count = rows.length;
  const [changes, inRows] = count === 1 ? ["change", "row"] : ["changes", "rows"];
  const entities = strangers.length === 1 ? "1 entity" : `${strangers.length} entities`;
  return [
    withSeverity({
      code: "change-without-feature",
      message: `Skipped ${count} ${changes} of ${entities} missing from \`entities\` (${inRows} ${firstOf(rows.slice(0, MOST_ROWS).map(String), 3, { total: count })}).`,
      count,
      facts: { rows: rows.slice(0, MOST_ROWS) },
    }),
  ];
}

/** Values by property; without keys, all belong to one property. */
interface LogValues {
  readonly keys?: CodedValues | undefined;
  readonly values: CodedValues;
  readonly previous?: CodedValues | undefined;
}

const NINE = 0x39;

/**
 * Whether a string is a number that is written back as the same string. Others stay strings, since different strings
 * may be the same number: revisions 1.1 and 1.10, blocks 1E2 and 100, integers with more digits than a double holds.
 */
function isNumberText(text: string): boolean {
  // A fast check of the first character decides most strings.
  if (text.charCodeAt(0) > NINE) return false;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text;
}

/** Types that a string can represent. */
const kinds = { none: 0, number: 1, boolean: 2, any: 3 } as const;

function kindOf(text: string): number {
  if (text === "true" || text === "false") return kinds.boolean;
  return isNumberText(text) ? kinds.number : kinds.none;
}

/**
 * Returns the typed values of a log of strings: numbers if every value of a property is a number, the same for booleans. A
 * string such as `007` or `1.10` stays a string, and so does a number with more digits than a double has.
 */
function typedValues(log: LogValues, keyCount: number): Omit<LogValues, "keys"> {
  const keyCodes = log.keys?.codes ?? new Int32Array(log.values.codes.length);
  const columns = [log.values, ...(log.previous ? [log.previous] : [])];
  const kindsOf = columns.map(({ values }) => Uint8Array.from(values as readonly string[], kindOf));
  const common = new Uint8Array(keyCount).fill(kinds.any);
  for (const [index, { codes }] of columns.entries()) {
    const ownKinds = kindsOf[index] as Uint8Array;
    for (let row = 0; row < codes.length; row += 1) {
      const code = codes[row] as number;
      if (code === NONE) continue;
      const key = keyCodes[row] as number;
      common[key] = (common[key] as number) & (ownKinds[code] as number);
    }
  }
  const [values, previous] = columns.map(({ codes, values: texts }, index) => {
    const typed = behindTexts(texts as readonly string[], kindsOf[index] as Uint8Array);
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

/** The strings, followed by the distinct numbers and booleans that some of them represent, with the codes by string. */
function behindTexts(texts: readonly string[], kindOfText: Uint8Array): CodedValues {
  const values: unknown[] = [...texts];
  const codes = new Int32Array(texts.length);
  const codeOf = new Map<unknown, number>();
  for (const [code, text] of texts.entries()) {
    if (kindOfText[code] === kinds.none) continue;
    const value = kindOfText[code] === kinds.number ? Number(text) : text === "true";
    const newCode = codeOf.get(value) ?? values.push(value) - 1;
    codeOf.set(value, newCode);
    codes[code] = newCode;
  }
  return { codes, values };
}
