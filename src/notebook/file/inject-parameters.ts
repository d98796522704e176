import { randomUUID } from "node:crypto";
import { codeTokens } from "../../core/code-tokens.js";
import { ArgumentError } from "../../core/errors.js";
import { readSafely, showValue } from "../../core/show-value.js";
import { type Cell, type CodeCell, cellTags, type Notebook } from "./notebook.js";

/** Values for a notebook's variables, by name. They must be JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

const injectedTag = "injected-parameters";

/**
 * Adds a cell with the given values after the cell tagged `parameters`, or at the start without such a cell, as
 * papermill does. An injected cell is replaced.
 *
 * @throws ArgumentError for a name that is not an identifier and for a value that is not JSON
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

/** Placeholder for negative zero: JSON supports it, but `JSON.stringify` omits the sign. */
const MINUS_ZERO = `minus zero ${randomUUID()}`;

/**
 * Undefined for values that are not JSON: functions, cycles, too deep nesting.
 *
 * @throws ArgumentError for numbers that JSON does not support, which would become null
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
  return new ArgumentError(`The parameter ${name} contains ${String(value)}, which JSON does not support.`, {
    hint: "Pass it as a string, and parse it in the notebook.",
    facts: { parameter: name },
  });
}

/**
 * JSON as an equivalent TypeScript expression: the compiler treats U+2028 and U+2029 as line ends even inside strings, and
 * a member `__proto__` would set the prototype.
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
  // Cells have ids since nbformat 4.5; earlier versions do not allow them.
  if (nbformat_minor < 5 || cells.some(({ id }) => id === injectedTag)) return cell;
  return { ...cell, id: injectedTag };
}

/** A variable declared with a string or number literal on one line. */
const literal =
  /^[ \t]*(?:const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:\s*:[^=\n]+)?\s*=\s*([^\n]*?);?[ \t]*$/gmu;

/**
 * The string and number parameters of a notebook, by name: the injected values, else the literals in the cell tagged
 * `parameters`.
 */
export function parameterValues({ cells }: Notebook): ReadonlyMap<string, string | number> {
  const values = new Map<string, string | number>();
  for (const cell of cells.filter((one) => cellTags(one).some((tag) => tag === "parameters" || tag === injectedTag))) {
    for (const [, name = "", source = ""] of cell.source.matchAll(literal)) {
      const value: unknown = readSafely(() => JSON.parse(source) as unknown, undefined);
      if (typeof value === "string" || typeof value === "number") values.set(name, value);
      else values.delete(name);
    }
  }
  return values;
}

const word = /^[\p{ID_Start}$_]/u;
const keywords = new Set(["const", "let", "var"]);
const opening = new Set(["(", "[", "{"]);
const closing = new Set([")", "]", "}"]);
/** Tokens that may follow a variable's name in its declaration, or none. */
const behindName = new Set(["=", ":", "!", ",", ";", ...keywords]);

/**
 * The variables declared in the cell tagged `parameters`, in order; undefined without such a cell.
 *
 * Only reads tokens, since loading the compiler of cells takes longer than this.
 */
export function parameterNames({ cells }: Notebook): readonly string[] | undefined {
  const tagged = cells.find((cell) => cellTags(cell).includes("parameters"));
  if (!tagged) return undefined;
  return [...new Set(declaredNames(wordsAndSigns(tagged.source)))];
}

/** Members include their dot, and brackets of types end one by one: `>>` is not an operator there. */
function wordsAndSigns(code: string): readonly string[] {
  const tokens = [...codeTokens(code)].filter(({ type }) => /^(IdentifierName|NumericLiteral|Punctuator)$/.test(type));
  return tokens.flatMap(({ type, value }, index) => {
    if (type === "Punctuator") return value === "=>" ? [value] : [...value];
    return /^\??\.$/.test(tokens[index - 1]?.value ?? "") ? [`.${value}`] : [value];
  });
}

type Place = "outside" | "name" | "pattern" | "type" | "value";

function* declaredNames(tokens: readonly string[]): Generator<string> {
  let depth = 0;
  let context: Place = "outside";
  for (const [index, text] of tokens.entries()) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    const inType = context === "type";
    if (opening.has(text) || (inType && text === "<")) {
      if (context === "name") context = "pattern";
      depth += 1;
    } else if (closing.has(text) || (inType && text === ">")) {
      depth -= 1;
    } else if (depth > 0) {
      if (context === "pattern" && word.test(text) && next !== ":" && before !== "=") yield text;
    } else {
      const isNamed = context === "name" && word.test(text) && !keywords.has(text);
      if (isNamed && (next === undefined || behindName.has(next))) yield text;
      context = placeBehind(context, text);
    }
  }
}

/** The state of a declaration after a token outside of brackets. */
function placeBehind(context: Place, text: string): Place {
  if (keywords.has(text)) return "name";
  if (context === "outside" || text === ";") return "outside";
  if (text === ",") return "name";
  if (text === "=") return "value";
  return text === ":" && context !== "value" ? "type" : context;
}
