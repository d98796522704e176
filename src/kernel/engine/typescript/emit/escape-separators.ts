import type MagicString from "magic-string";
import type { Node } from "oxc-parser";
import { childNodes } from "../analyze/child-nodes.js";

const separators = /[\u2028\u2029]/g;

/**
 * Writes Unicode's line separators in texts as escapes, and others as line ends: to Node they end a line, to editors they
 * do not, and a script that holds none has the same lines for both.
 */
export function escapeSeparators(text: MagicString, statements: readonly Node[]): void {
  const found = [...text.original.matchAll(separators)];
  if (found.length === 0) return;
  const literals = statements.flatMap(literalsIn);
  for (const { 0: separator, index } of found) {
    const literal = literals.find(({ start, end }) => start <= index && index < end);
    if (literal?.type === "JSXText") continue;
    text.update(index, index + 1, literal ? `\\u${separator.charCodeAt(0).toString(16)}` : "\n");
  }
}

function literalsIn(node: Node): readonly Node[] {
  if (node.type === "Literal" || node.type === "TemplateElement" || node.type === "JSXText") return [node];
  return childNodes(node).flatMap(literalsIn);
}
