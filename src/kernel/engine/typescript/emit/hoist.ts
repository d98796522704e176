import type MagicString from "magic-string";
import type { Node } from "oxc-parser";

/** Moves a statement that has become a load of a module before all that is no import, where a module loads it. */
export function hoist(text: MagicString, statements: readonly Node[], { start, end }: Node): void {
  const first = statements.find(({ type }) => type !== "ImportDeclaration")?.start;
  if (first !== undefined && first < start) text.move(start, end, first);
}
