import { codeTokens } from "../../../core/code-tokens.js";

const declaring = new Set(["const", "let", "var", "class", "function"]);
const opening = new Set(["(", "[", "{"]);
const closing = new Set([")", "]", "}"]);

/** A statement of a cell from one semicolon or declaration to the next. */
interface Statement {
  /** Names that it declares, and those of their types. */
  readonly names: Set<string>;
  readonly awaits: number[];
}

/**
 * Finds the `await` at which a cell ended, from its code and the names without a value: it is after the last statement
 * that set its names, and not after the first statement that did not.
 *
 * @param unset names that the cell declares but did not set
 * @returns an offset; undefined if several could be it
 */
export function pendingAwait(code: string, declared: readonly string[], unset: readonly string[]): number | undefined {
  const statements = [...statementsOf(code)];
  const declares = (names: readonly string[]) => (statement: Statement) =>
    names.some((name) => statement.names.has(name));
  const set = declared.filter((name) => !unset.includes(name));
  const first = statements.findIndex(declares(unset));
  const reached = first === -1 ? statements : statements.slice(0, first + 1);
  const last = reached.findLastIndex((statement, index) => index !== first && declares(set)(statement));
  const all = statements.flatMap(({ awaits }) => awaits);
  const [only, ...others] = all.length === 1 ? all : reached.slice(last + 1).flatMap(({ awaits }) => awaits);
  return others.length === 0 ? only : undefined;
}

function* statementsOf(code: string): Generator<Statement> {
  let [offset, depth] = [0, 0];
  let statement = newStatement();
  let [isName, isOne] = [false, false];
  for (const { type, value } of codeTokens(code)) {
    const isDeclaring = type === "IdentifierName" && declaring.has(value);
    if (depth === 0 && (value === ";" || isDeclaring)) {
      yield statement;
      statement = newStatement();
      isName = isDeclaring;
      isOne = value === "class" || value === "function";
    } else if (type === "IdentifierName" && isName) {
      statement.names.add(value);
      isName = !isOne;
    }
    if (depth === 0 && value === "=") isName = false;
    if (type === "TemplateHead" || (type === "Punctuator" && opening.has(value))) depth += 1;
    if (type === "TemplateTail" || (type === "Punctuator" && closing.has(value))) depth -= 1;
    if (type === "IdentifierName" && value === "await") statement.awaits.push(offset);
    offset += value.length;
  }
  yield statement;
}

function newStatement(): Statement {
  return { names: new Set(), awaits: [] };
}
