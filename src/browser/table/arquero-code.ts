// Code that produces the visible rows, order and columns of a table from the original table.
import {
  type ColumnFilter,
  comparisonIn,
  type RowQuestion,
  searchedText,
} from "../../tables/display/live/arrange-rows.js";
import type { TableColumn } from "./table-columns.js";

/** Code of a condition on rows; undefined for a column of objects, whose text only the output has. */
type Condition = string | undefined;

const quoted = JSON.stringify;
const cell = ({ name }: TableColumn) => `d[${quoted(name)}]`;
/** For 64-bit numbers, the value that their bars use. */
const size = (column: TableColumn) => {
  if (column.kind === "date") return column.coded ? `Date.parse(${cell(column)})` : cell(column);
  return column.kind === "number" && (column.coded || column.holds) ? `Number(${cell(column)})` : cell(column);
};
const literal = ({ kind, coded }: TableColumn, value: number | bigint) => {
  if (typeof value === "bigint") return `${value}n`;
  return kind === "date"
    ? `${coded ? "Date.parse" : "new Date"}(${quoted(new Date(value).toISOString())})`
    : String(value);
};

/**
 * Calls of Arquero's verbs, in TypeScript.
 *
 * @param from the expression of the table
 * @param isAll whether the table has no other columns than `columns`
 */
export function arqueroCode(
  from: string,
  columns: readonly TableColumn[],
  shown: readonly TableColumn[],
  { filter, order, find }: Omit<RowQuestion, "rows">,
  isAll: boolean,
): string {
  const columnAt = (place: number) => columns[place] as TableColumn;
  const left: string[] = [];
  const conditions: string[] = [];
  const take = (condition: Condition, name: string) => {
    if (condition === undefined) left.push(name);
    else conditions.push(condition);
  };
  for (const each of filter)
    take(filterCode(columnAt(each.column), each), `the filter of ${columnAt(each.column).name}`);
  for (const word of find.words) {
    const searched = find.columns.map(columnAt);
    const told = searched.filter(isTold);
    const compared = told.map((column) => comparisonCode(column, word)).filter((code) => code !== undefined);
    const texts = told.filter((column) => comparisonCode(column, word) === undefined);
    // Numbers are searched without the separators of the word.
    const searches = [...new Set(texts.map((column) => searchedText(column, word)))].map((text) => {
      const same = texts.filter((column) => searchedText(column, word) === text);
      const values = same.flatMap((each) => textsOf(each, text));
      return includes(values, text);
    });
    const all = [...compared.map((code) => `(${code})`), ...searches];
    conditions.push(all.length === 1 ? String(all[0]) : `(${all.join(" || ") || "false"})`);
    left.push(...searched.filter((each) => !isTold(each)).map(({ name }) => `looking for ${word} in ${name}`));
  }
  const keys = order.flatMap(([place, way]) => {
    const column = columnAt(place);
    if (isTold(column)) return sortKeys(column, way);
    left.push(`the order of ${column.name}`);
    return [];
  });
  const isSame = isAll && shown.length === columns.length && shown.every(({ index }, place) => index === place);
  const calls = [
    ...conditions.map((condition) => `  .filter((d) => ${condition})`),
    ...(keys.length > 0 ? [`  .orderby(${keys.join(", ")})`] : []),
    ...(isSame ? [] : [`  .select(${shown.map(({ name }) => quoted(name)).join(", ")})`]),
  ];
  const notes = left.map((what) => `// Not included (objects): ${what.replace(/\s+/g, " ")}\n`);
  return `${notes.join("")}${[from, ...calls].join("\n")};`;
}

function isTold({ holds }: TableColumn): boolean {
  return holds !== "objects";
}

function filterCode(column: TableColumn, filter: ColumnFilter): Condition {
  const { kind } = column;
  if (!isTold(column) && !("isNull" in filter)) return undefined;
  if ("words" in filter) return comparisonCode(column, filter.words) ?? wordsCode(column, filter.words);
  if ("value" in filter) {
    const same = `=== ${quoted(filter.value)}`;
    return column.holds ? `${cell(column)} != null && String(${cell(column)}) ${same}` : `${cell(column)} ${same}`;
  }
  if ("values" in filter) {
    const isText = kind === "text" && !column.holds;
    return `${quoted(filter.values)}.includes(${isText ? cell(column) : `String(${cell(column)})`})`;
  }
  if ("isNull" in filter) {
    const isNone = `${cell(column)} == null`;
    if (kind === "text" || (kind === "date" && column.coded)) return isNone;
    const isText = column.holds ? `typeof ${cell(column)} !== "string" && ` : "";
    return `${isNone} || ${isText}!Number.isFinite(Number(${cell(column)}))`;
  }
  const [place, step] = filter.bar;
  const isExact = kind === "date" || (column.numbers.decimals === 0 && Number.isInteger(step));
  if (!isExact) return there(column, `Math.floor(${size(column)} / ${step}) === ${place}`);
  const [from, to] = [place * step, (place + 1) * step].map((edge) => literal(column, edge));
  return there(column, `${size(column)} >= ${from} && ${size(column)} < ${to}`);
}

/** JavaScript treats null as zero. */
function there(column: TableColumn, condition: string): string {
  return column.summary.nulls > 0 ? `${cell(column)} != null && ${condition}` : condition;
}

function comparisonCode(column: TableColumn, words: string): Condition {
  const compared = comparisonIn(column, words);
  if (!compared) return undefined;
  const [least, greatest] = [compared.least, compared.greatest].map((value) => literal(column, value));
  // Only 64-bit numbers are compared exactly.
  const value = column.kind === "number" && column.coded ? cell(column) : size(column);
  const edge = /<=|^>$/.test(compared.sign) ? greatest : least;
  const isEqual = `${value} >= ${least} && ${value} <= ${greatest}`;
  return there(column, compared.sign === "=" ? isEqual : `${value} ${compared.sign} ${edge}`);
}

function wordsCode(column: TableColumn, words: string): string {
  const text = searchedText(column, words);
  return includes(textsOf(column, text), text);
}

/** The stored and visible text of a cell, for filters. */
function textsOf(column: TableColumn, words: string): readonly string[] {
  const { kind, numbers, coded } = column;
  const value = cell(column);
  if (kind === "date" && !coded) {
    // toISOString() fails for invalid dates.
    const iso = `${value} && JSON.stringify(${value}).slice(1, -1)`;
    return words.includes(" ") ? [iso, `${iso}.slice(0, -1).replace("T", " ")`] : [iso];
  }
  const { decimals, style } = numbers;
  if (kind !== "number" || coded || (decimals === 0 && style !== "share")) return [value];
  const shown = style === "share" ? `(100 * ${value})` : value;
  if (column.holds) return [value, `typeof ${value} === "number" ? ${shown}.toFixed(${decimals}) : ""`];
  return [value, `${value} == null ? "" : Number(${shown}).toFixed(${decimals})`];
}

function includes(texts: readonly string[], words: string): string {
  const test = (text: string) => `String(${text}).toLowerCase().includes(${quoted(words.toLowerCase())})`;
  return texts.length === 1 ? test(String(texts[0])) : `[${texts.join(", ")}].some((text) => ${test("text")})`;
}

/** Missing values are last in both directions. */
function sortKeys(column: TableColumn, way: 1 | -1): readonly string[] {
  const { kind, coded, holds, name, summary } = column;
  const number = kind === "date" && coded ? size(column) : `Number(${cell(column)} ?? NaN)`;
  const isNull =
    kind === "text" || (kind === "number" && coded) ? `${cell(column)} == null` : `Number.isNaN(${number})`;
  // collate() ignores further keys if both are null.
  const text = holds ? `String(${cell(column)})` : `${cell(column)} ?? ""`;
  // The types of collate() lack the argument of its function.
  const row = "(d: Record<string, unknown>)";
  const key = kind === "text" && (holds || summary.nulls > 0) ? `${row} => ${text}` : quoted(name);
  const isRead = kind === "date" ? coded : kind === "number" && holds && !coded;
  const sized = isRead ? `(d) => ${number}` : key;
  const ordered = kind === "text" ? `aq.collate(${key}, "en", { numeric: true })` : sized;
  return [
    ...(summary.nulls > 0 || (isRead && holds) ? [`(d) => ${isNull}`] : []),
    way > 0 ? ordered : `aq.desc(${ordered})`,
  ];
}
