import { randomUUID } from "node:crypto";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { cellTags } from "./cell-tags.js";
import type { Cell, CodeCell, Notebook } from "./notebook.js";

/** Values for a notebook's variables, by name. They must be JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

const injectedTag = "injected-parameters";

/**
 * Puts a cell with the given values behind the cell tagged `parameters`, or first if there is none, as papermill does.
 * A cell that was injected earlier is replaced.
 *
 * @throws ArgumentError for a name that is no identifier and for a value that is not JSON
 */
export function injectParameters(notebook: Notebook, parameters: Parameters): Notebook {
  const names = Object.keys(parameters);
  if (names.length === 0) return notebook;
  const source = names.map((name) => assignment(name, parameters[name])).join("\n");
  const cells = notebook.cells.filter((cell) => !cellTags(cell).includes(injectedTag));
  const position = cells.findIndex((cell) => cellTags(cell).includes("parameters")) + 1;
  return { ...notebook, cells: cells.toSpliced(position, 0, injectedCell(source, notebook, cells)) };
}

function assignment(name: string, value: unknown): string {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) {
    throw new ArgumentError(`The parameter ${showValue(name)} is not a variable name.`);
  }
  const json = jsonText(name, value);
  if (json === undefined) throw new ArgumentError(`The parameter ${name} must be JSON, not ${showValue(value)}.`);
  return `let ${name} = ${asSource(json)};`;
}

/** What stands for a minus zero until the text is there: JSON has one, and `JSON.stringify` writes it without its sign. */
const MINUS_ZERO = `minus zero ${randomUUID()}`;

/**
 * Undefined for what is no JSON: functions, circles, what is nested too deeply.
 *
 * @throws ArgumentError for numbers that JSON does not have, which would become null
 */
function jsonText(name: string, value: unknown): string | undefined {
  const keep = (_: string, inner: unknown) => {
    if (Object.is(inner, -0)) return MINUS_ZERO;
    const isLost = typeof inner === "bigint" || (typeof inner === "number" && !Number.isFinite(inner));
    if (isLost) throw noJsonNumber(name, inner);
    return inner;
  };
  try {
    return JSON.stringify(value, keep)?.replaceAll(`"${MINUS_ZERO}"`, "-0");
  } catch (error) {
    if (error instanceof ArgumentError) throw error;
    return undefined;
  }
}

function noJsonNumber(name: string, value: unknown): ArgumentError {
  return new ArgumentError(`The parameter ${name} has the number ${String(value)}, which JSON does not have.`, {
    hint: "Give it as text, and read it in the notebook.",
    facts: { parameter: name },
  });
}

/**
 * JSON as an expression of TypeScript that means the same: its compiler takes U+2028 and U+2029 for line ends also within
 * texts, and a member `__proto__` would be the prototype.
 */
function asSource(json: string): string {
  return json
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replace(/(?<!\\)"__proto__":/g, '["__proto__"]:');
}

function injectedCell(source: string, { nbformat_minor }: Notebook, cells: readonly Cell[]): CodeCell {
  const metadata = { tags: [injectedTag] };
  const cell: CodeCell = { cell_type: "code", metadata, source, execution_count: null, outputs: [] };
  // Cells have ids since nbformat 4.5, and may not have them before.
  if (nbformat_minor < 5 || cells.some(({ id }) => id === injectedTag)) return cell;
  return { ...cell, id: injectedTag };
}
