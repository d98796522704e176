import type MagicString from "magic-string";
import type { Reference } from "../analyze/code-sites.js";

/**
 * Reads names from objects.
 *
 * @param target what to write for a reference, such as `names.a`; `undefined` leaves it alone
 * @param start where an expression begins before which no semicolon may stand
 */
export function rewriteReferences(
  text: MagicString,
  references: readonly Reference[],
  target: (reference: Reference) => string | undefined,
  start?: number,
): void {
  for (const reference of references) {
    const written = target(reference);
    if (written === undefined) continue;
    const { name, form, end } = reference;
    if (form === "plain") text.update(reference.start, end, written);
    else if (form === "shorthand") text.update(reference.start, end, `${name}: ${written}`);
    else rewriteCall(text, reference, written, form === "statement" && reference.start !== start);
  }
}

/** What stands between a name and its arguments, but for types and comments. */
const bracket = /\s*(?:\?\.)?\s*\(/y;

/**
 * A function that is called as a property would take the object for its `this`. The bracket of the arguments, to which
 * stack frames point, is written anew with the name, so that they point to that.
 */
function rewriteCall(text: MagicString, { start, end }: Reference, written: string, needsSemicolon: boolean): void {
  bracket.lastIndex = end;
  const [between = ""] = bracket.exec(text.original) ?? [];
  text.update(start, end + between.length, `${needsSemicolon ? ";" : ""}(0, ${written})${between}`);
}
