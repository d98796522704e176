import type { Node } from "oxc-parser";
import type { CodeAction, Diagnostic, TextEdit } from "vscode-languageserver-protocol";
import { awaitQuestion } from "../../cell/cell-errors.js";
import { offsetAt, positionAt } from "../../cell/cell-positions.js";
import { childNodes, descendants, isReadable, parseModule } from "../analyze/syntax.js";

/** Expressions for which the compiler suggests `await`. */
const givesPromise: ReadonlySet<Node["type"]> = new Set(["Identifier", "MemberExpression", "CallExpression"]);

/**
 * Returns the edit that adds the `await` an error suggests. Undefined for other errors, and if `await` is not allowed,
 * as in a function that is not `async`.
 *
 * @param uri of the cell
 * @param extension of a file with such code
 */
export function awaitFix(uri: string, code: string, problem: Diagnostic, extension: string): CodeAction | undefined {
  const { message, range } = problem;
  if (!(typeof message === "string" ? message : message.value).includes(awaitQuestion)) return undefined;
  const { start, end } = range;
  const [from, to] = [offsetAt(code, start), offsetAt(code, end)];
  const file = `cell${extension}`;
  const { program } = parseModule(file, code);
  const promise = promiseAt(program, from, to);
  if (!promise) return undefined;
  const { node, isPart } = promise;
  const [opening, closing] = isPart ? ["(await ", ")"] : ["await ", ""];
  const withAwait = (first: string) =>
    `${code.slice(0, node.start)}${first}${code.slice(node.start, node.end)}${closing}${code.slice(node.end)}`;
  // After a statement without a semicolon, `(` would call the end of the statement.
  const isJoined =
    isStatementAt(program, node.start) && !isStatementAt(parseModule(file, withAwait(opening)).program, node.start);
  const first = isJoined ? `;${opening}` : opening;
  if (isReadable(file, code) && !isReadable(file, withAwait(first))) return undefined;
  const edits = [inserted(code, node.start, first)];
  if (isPart) edits.push(inserted(code, node.end, closing));
  const edit = { changes: { [uri]: edits } };
  return { title: "Add await", kind: "quickfix", isPreferred: true, diagnostics: [problem], edit };
}

/**
 * The expression at a position, or with a member there, and whether it is part of an expression that binds closer than
 * `await`.
 */
function promiseAt(
  program: Node,
  start: number,
  end: number,
): { readonly node: Node; readonly isPart: boolean } | undefined {
  for (let node: Node | undefined = program; node; ) {
    if (node.type === "MemberExpression" && node.property.start === start && node.property.end === end) {
      return { node: node.object, isPart: true };
    }
    const inner: Node | undefined = childNodes(node).find((child) => child.start <= start && child.end >= end);
    const isPart =
      (node.type === "MemberExpression" && node.object === inner) ||
      (node.type === "CallExpression" && node.callee === inner);
    if (inner?.start === start && inner.end === end && givesPromise.has(inner.type)) return { node: inner, isPart };
    node = inner;
  }
  return undefined;
}

/** Whether an expression statement begins at a position. */
function isStatementAt(program: Node, start: number): boolean {
  for (const node of descendants(program)) if (node.type === "ExpressionStatement" && node.start === start) return true;
  return false;
}

function inserted(code: string, offset: number, newText: string): TextEdit {
  const { line, column } = positionAt(code, offset);
  const position = { line: line - 1, character: column - 1 };
  return { range: { start: position, end: position }, newText };
}
