import { basename } from "node:path";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import {
  type CodedValues,
  type EntityColumns,
  type LogColumns,
  noField,
  numbersWhereAll,
} from "../read/log-columns.js";
import type { ReadTime } from "../read/log-times.js";
import { TextColumn, TimeColumn } from "./csv-columns.js";
import { type CsvFormat, type CsvRead, readCsv } from "./read-csv.js";

/**
 * Reads a log from a CSV file.
 *
 * @param columns names by option
 * @throws ArgumentError as `readCsv()` does, for a missing column and an invalid time
 */
export async function readCsvLog(
  path: string,
  columns: ReadonlyMap<string, string>,
  format: CsvFormat,
  readTime: ReadTime,
): Promise<LogColumns> {
  const texts = new Map([...columns.keys()].filter((option) => option !== "time").map((o) => [o, new TextColumn()]));
  const times = new TimeColumn("time", readTime);
  const read = await readCsv(path, format, {
    names: [...columns.values()],
    columns: (names) => {
      const indexOf = columnPlaces(names, [...columns.values()], path);
      return Array.from(columns, ([option, name]) => [indexOf(name, option), texts.get(option) ?? times]);
    },
  });
  const values = new Map(Array.from(texts, ([option, column]) => [option, column.finish()]));
  const ids = (option: string) => {
    const value = values.get(option);
    return value && numbersWhereAll(value);
  };
  return {
    length: read.length,
    ids: ids("id") as CodedValues,
    keys: values.get("key"),
    values: values.get("value") as CodedValues,
    previous: values.get("previous"),
    users: ids("user"),
    times: times.finish(),
    sequence: values.get("sequence"),
    isText: true,
    diagnostics: detectionDiagnostic(path, format, read),
  };
}

/**
 * Reads all columns of a CSV file.
 *
 * @param required names by option
 * @throws ArgumentError as `readCsv()` does, and for a missing column
 */
export async function readCsvEntities(
  path: string,
  required: ReadonlyMap<string, string>,
  format: CsvFormat,
): Promise<EntityColumns> {
  const columns = new Map<string, TextColumn>();
  const read = await readCsv(path, format, {
    names: [...required.values()],
    columns(names) {
      const indexOf = columnPlaces(names, [...required.values()], path);
      for (const [option, name] of required) indexOf(name, option);
      return names.map((name) => {
        columns.set(name, new TextColumn());
        return [indexOf(name, "entities"), columns.get(name) as TextColumn];
      });
    },
  });
  const valuesOf = (column: TextColumn) => {
    const { codes, values } = column.finish();
    return Array.from(codes, (code) => values[code] ?? null);
  };
  return {
    length: read.length,
    columns: new Map(Array.from(columns, ([name, column]) => [name, valuesOf(column)])),
    isText: true,
    diagnostics: detectionDiagnostic(path, format, read),
  };
}

/**
 * Finds the index of the only column with a name.
 *
 * @param columns names of columns that the caller gave. A header without any of them is probably a row of data, which
 * errors must not quote.
 */
function columnPlaces(names: readonly string[], columns: readonly string[], path: string) {
  const isHeader = columns.some((name) => names.includes(name));
  return (name: string, option: string): number => {
    const index = names.indexOf(name);
    if (index < 0) throw isHeader ? noField(option, name, names, showValue(path)) : noHeader(option, name, path);
    if (names.lastIndexOf(name) === index) return index;
    throw new ArgumentError(
      `fromChanges(): ${showValue(path)} has two columns ${showValue(name)} (option ${option}).`,
      {
        hint: "Rename one of them in the header.",
        facts: { option, column: name },
      },
    );
  };
}

function noHeader(option: string, name: string, path: string): ArgumentError {
  return new ArgumentError(
    `fromChanges(): ${showValue(path)} has no column ${showValue(name)} (option ${option}), nor the columns of the other options.`,
    { hint: "Check that its first row contains the column names.", facts: { option, column: name } },
  );
}

const delimiterNames: Readonly<Record<string, string>> = { ";": "semicolon", "\t": "tab", "|": "bar" };

/** Reports a delimiter and an encoding that were detected and are not the usual ones. */
function detectionDiagnostic(path: string, given: CsvFormat, { delimiter, encoding }: CsvRead): readonly Diagnostic[] {
  const facts = {
    ...(given.delimiter === undefined && delimiter !== "," ? { delimiter } : {}),
    ...(given.encoding === undefined && encoding !== "utf-8" ? { encoding } : {}),
  };
  const detected = Object.entries(facts).map(([name, value]) => `${name} ${delimiterNames[value] ?? value}`);
  if (detected.length === 0) return [];
  return [
    withSeverity({
      code: "format-detected",
      message: `${basename(path)} was read with ${detected.join(" and ")}.`,
      facts,
    }),
  ];
}
