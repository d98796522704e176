import type { Node } from "oxc-parser";
import type { CodeAction, Diagnostic, TextEdit } from "vscode-languageserver-protocol";
import { awaitQuestion } from "../../cell/cell-errors.js";
import { offsetAt, positionAt } from "../../cell/cell-positions.js";
import { childNodes, parseModule } from "../analyze/syntax.js";
import { isBroken } from "./broken-cells.js";

/** What the compiler asks of that gives a promise, where the value is needed. */
const givesPromise: ReadonlySet<Node["type"]> = new Set(["Identifier", "MemberExpression", "CallExpression"]);

/**
 * Adds the `await` that an error asks for; undefined for other errors, and where none can stand, such as in a function that
 * is not `async`.
 *
 * @param uri of the cell
 * @param extension of a file with such code
 */
export function awaitFix(uri: string, code: string, problem: Diagnostic, extension: string): CodeAction | undefined {
  const { message, range } = problem;
  if (!(typeof message === "string" ? message : message.value).includes(awaitQuestion)) return undefined;
  const { start, end } = range;
  const [from, to] = [offsetAt(code, start), offsetAt(code, end)];
  const promise = promiseAt(parseModule(`cell${extension}`, code).program, from, to);
  if (!promise) return undefined;
  const { node, isPart } = promise;
  const edits = [inserted(code, node.start, isPart ? "(await " : "await ")];
  if (isPart) edits.push(inserted(code, node.end, ")"));
  if (isBroken(code, edits, extension)) return undefined;
  const edit = { changes: { [uri]: edits } };
  return { title: "Add await", kind: "quickfix", isPreferred: true, diagnostics: [problem], edit };
}

/** The expression at a place, or whose member is there; and whether it is a part of an expression that binds closer than `await`. */
function promiseAt(
  node: Node,
  start: number,
  end: number,
): { readonly node: Node; readonly isPart: boolean } | undefined {
  if (node.type === "MemberExpression" && node.property.start === start && node.property.end === end) {
    return { node: node.object, isPart: true };
  }
  for (const child of childNodes(node)) {
    if (child.start > start || child.end < end) continue;
    const isPart =
      (node.type === "MemberExpression" && node.object === child) ||
      (node.type === "CallExpression" && node.callee === child);
    if (child.start === start && child.end === end && givesPromise.has(child.type)) return { node: child, isPart };
    return promiseAt(child, start, end);
  }
  return undefined;
}

function inserted(code: string, offset: number, newText: string): TextEdit {
  const { line, column } = positionAt(code, offset);
  const place = { line: line - 1, character: column - 1 };
  return { range: { start: place, end: place }, newText };
}
