import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";

/** A column that needs a name in SQL. */
export interface SqlColumnSource {
  readonly name: string;
  /** The property key of its values, or one of them; undefined for a field of the feature. */
  readonly key?: string | undefined;
}

/** Columns with the same name in SQL, and their new names. */
export interface SqlRename {
  readonly names: readonly string[];
  readonly sqlNames: readonly string[];
}

/** Names of columns in SQL. */
interface SqlNames {
  /** One for each column, in order. */
  readonly names: readonly string[];
  /** Columns whose names differ from those outside SQL. */
  readonly renamed: readonly SqlRename[];
}

/**
 * Names for SQL, which does not distinguish names that differ only in case. None of such columns keeps its name: a
 * query with that name fails, instead of returning the values of another column. Each is called
 * `Name (first 8 hex digits of its key)`, `NAME (built-in)` or `name (field)`, independent of the other columns.
 *
 * @param write converts a name to a valid name of the SQL dialect
 */
export function sqlNames(columns: readonly SqlColumnSource[], write = writableName): SqlNames {
  const names = columns.map(({ name }) => write(name));
  const groups = groupAlike(names);
  const used = new Set(groups.keys());
  for (const group of groups.values()) if (group.length > 1) tellApart(names, group, columns, { used, write });
  const renamed = [...groups.values()].filter((group) => group.some((index) => names[index] !== columns[index]?.name));
  return {
    names,
    renamed: renamed.map((group) => ({
      names: group.map((index) => columns[index]?.name ?? ""),
      sqlNames: group.map((index) => names[index] as string),
    })),
  };
}

/** Indices of names that SQL treats as the same. */
function groupAlike(names: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  names.forEach((name, index) => {
    const group = groups.get(foldCase(name));
    if (group) group.push(index);
    else groups.set(foldCase(name), [index]);
  });
  return groups;
}

/** Candidates are compared all together, so that the order of columns does not matter; none takes an existing name. */
function tellApart(
  names: string[],
  group: readonly number[],
  columns: readonly SqlColumnSource[],
  { used, write }: { readonly used: Set<string>; readonly write: (name: string) => string },
): void {
  let open = group;
  for (let level = 0; open.length > 0; level += 1) {
    const forms = new Map(
      open.map((index) => [index, write(`${names[index]} (${form(columns[index]?.key, level, index)})`)]),
    );
    const alike = groupAlike([...forms.values()]);
    const settled = open.filter((index) => {
      const folded = foldCase(forms.get(index) ?? "");
      return alike.get(folded)?.length === 1 && !used.has(folded);
    });
    open = open.filter((index) => !settled.includes(index));
    for (const index of settled) {
      names[index] = forms.get(index) ?? "";
      used.add(foldCase(names[index]));
    }
  }
}

function form(key: string | undefined, level: number, index: number): string {
  const short = key === undefined ? "field" : isUuid(key) ? key.slice(0, 8) : "built-in";
  if (level === 0) return short;
  return level === 1 && key !== undefined ? key : `${short}, ${index + level}`;
}

/** DuckDB ignores the case of the 26 ASCII letters only. */
export function foldCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A name as an SQL identifier. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name that SQL can write: without NUL and lone surrogates. */
export function writableName(name: string): string {
  return Buffer.from(name.replaceAll("\0", "␀")).toString();
}

/** Diagnostics about columns with other names in SQL. */
export function sqlNameDiagnostics(renamed: readonly SqlRename[], where: string): readonly Diagnostic[] {
  return renamed.map(({ names, sqlNames: inSql }) =>
    withSeverity({
      code: "column-renamed-in-sql",
      message: `${listNames(names)} ${names.length > 1 ? "differ only in case, which SQL ignores" : "cannot be written in SQL"}: in ${where} ${names.length > 1 ? "they are" : "it is"} ${listNames(inSql)}.`,
      count: names.length,
      facts: { columns: names, sql_names: inSql },
    }),
  );
}

/** How to fix a query that failed because it used a name of several columns. */
export function sqlNameHint(message: string, renamed: readonly SqlRename[]): string | undefined {
  // After the first sentence, DuckDB lists existing names.
  const [reason = ""] = foldCase(message).split("\n", 1);
  const [before = ""] = reason.split("candidate bindings:", 1);
  const mentioned = renamed.filter(({ names }) =>
    before.includes(quotedName(foldCase(writableName(names[0] as string)))),
  );
  if (mentioned.length === 0) return undefined;
  return mentioned
    .map(
      ({ names, sqlNames: inSql }) =>
        `${listNames(names)} ${names.length > 1 ? "are" : "is"} ${listNames(inSql)} in SQL.`,
    )
    .join(" ");
}

/** Names in a sentence. */
export function listNames(names: readonly string[]): string {
  const list = names.map((name) => showValue(name));
  const last = list.pop() ?? "";
  return list.length > 0 ? `${list.join(", ")} and ${last}` : last;
}
