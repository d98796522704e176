import type { ColumnTable } from "arquero";
import { escapeHtml, escapeMarkdown } from "../display/text.js";

// Arquero's markup writers do not escape column names and, in Markdown, values.

interface MarkupOptions {
  readonly columns?: ((table: ColumnTable) => readonly string[]) | readonly string[];
  readonly align?: Readonly<Record<string, unknown>>;
  readonly format?: Readonly<Record<string, unknown>>;
  readonly style?: Readonly<Record<string, unknown>>;
  readonly null?: unknown;
}

type Writer = (this: ColumnTable, options?: MarkupOptions) => string;

/** Wraps the methods of tables. */
export function escapeMarkup(prototype: Record<PropertyKey, unknown>): void {
  const [toHtml, toMarkdown] = [prototype["toHTML"] as Writer, prototype["toMarkdown"] as Writer];
  define(prototype, "toHTML", function (options = {}) {
    const { table, namesBefore, ...named } = withNames(this, options, escapeHtml);
    const style = Object.fromEntries(
      Object.entries(options.style ?? {}).map(([tag, format]) => [
        tag,
        typeof format === "function"
          ? (name: string, ...position: readonly number[]) => format(namesBefore.get(name), ...position)
          : format,
      ]),
    );
    return Reflect.apply(toHtml, table, [{ ...options, ...named, style }]);
  });
  define(prototype, "toMarkdown", function (options = {}) {
    const { table, namesBefore, ...named } = withNames(this, options, escapeCell);
    const format = Object.fromEntries(
      table.columnNames().map((name) => {
        const write = options.format?.[namesBefore.get(name) as string];
        return [name, typeof write === "function" ? (value: unknown) => escapeCell(String(write(value))) : write];
      }),
    );
    const texts = table.columnNames().filter((name) => typeof format[name] !== "function" && hasTexts(table, name));
    for (const name of texts) format[name] = (value: unknown) => escapeCell(cellText(value));
    return Reflect.apply(toMarkdown, table, [{ ...options, ...named, format }]);
  });
}

function define(prototype: Record<PropertyKey, unknown>, name: string, method: Writer): void {
  const value = Object.defineProperty(method, "name", { value: name });
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
}

/** The chosen columns of a table with escaped names, and options by those names. */
function withNames(table: ColumnTable, options: MarkupOptions, escapeName: (name: string) => string) {
  const { columns } = options;
  const names = typeof columns === "function" ? columns(table) : (columns ?? table.columnNames());
  const escaped = new Map(names.map((name) => [name, escapeName(name)]));
  const renamed = (given: Readonly<Record<string, unknown>> | undefined) =>
    Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [escaped.get(name) ?? name, value]));
  return {
    table: table.select([...names]).rename(Object.fromEntries(escaped)),
    namesBefore: new Map([...escaped].map(([name, after]) => [after, name])),
    columns: [...escaped.values()],
    align: renamed(options.align),
    format: renamed(options.format),
  };
}

/** Arquero escapes each bar as `\|`. After a backslash, such a bar would end the cell. */
function escapeCell(text: string): string {
  return escapeMarkdown(text).replaceAll("\\|", "&#124;");
}

function hasTexts(table: ColumnTable, name: string): boolean {
  let isFound = false;
  table.scan((row, data, stop) => {
    const value: unknown = data?.[name]?.at(row as number);
    isFound = typeof value === "string" || (typeof value === "object" && value !== null && !(value instanceof Date));
    if (isFound) stop?.();
  });
  return isFound;
}

/** Maximum length of objects and lists, as in Arquero. */
const MOST = 30;

function cellText(value: unknown): string {
  if (typeof value !== "object" || value === null || value instanceof Date) return String(value);
  const text = JSON.stringify(value, (_, one: unknown) => (ArrayBuffer.isView(one) ? [...(one as Uint8Array)] : one));
  return text.length > MOST ? `${text.slice(0, MOST - 2)}…${text.startsWith("[") ? "]" : "}"}` : text;
}
