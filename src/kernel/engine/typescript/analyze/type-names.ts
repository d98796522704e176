import type { Node } from "oxc-parser";
import { childNodes } from "./child-nodes.js";

/** Adds every name in a type. More names than it refers to do no harm, so scopes of types are not looked at. */
export function addTypeNames(node: Node, names: Set<string>): void {
  if (node.type === "Identifier") names.add(node.name);
  for (const child of childNodes(node)) addTypeNames(child, names);
}
