import type MagicString from "magic-string";
import type { Node, Span } from "oxc-parser";
import { holdName, namesName } from "../../cell/wrap-script.js";
import type { CodeSyntax } from "../analyze/analyze-code.js";
import type { CellNames } from "../analyze/cell-names.js";
import type { Reference } from "../analyze/code-sites.js";
import { declarationOf } from "../analyze/declaration-of.js";
import { loopCode } from "../analyze/loop-code.js";
import { patternNames } from "../analyze/pattern-names.js";

/** Which names the loops of a cell read, and write, in fields. */
export interface FieldPlan {
  /** Whether variables can move into fields: not if the code may name them in ways that are not to be seen. */
  readonly canMove: boolean;
  /** What to write for a reference, if it is not left to others. */
  target(reference: Reference): string | undefined;
  /** Writes what gets the fields, before the first loop that needs them. */
  write(text: MagicString): void;
}

/**
 * Plans which names the top-level loops of a cell take from fields of objects: those of earlier cells, and the cell's own
 * variables to which a loop assigns. V8 writes a number into such a field where it stands, while it makes a box for each
 * that it writes into a variable which functions see. From then on the cell's own variable is in its field alone.
 *
 * @param implied names that are used though they do not stand in the code
 */
export function planFields(
  syntax: CodeSyntax,
  { values }: CellNames,
  isEarlier: (name: string) => boolean,
  implied: readonly string[],
): FieldPlan {
  const { body } = syntax.program;
  const { loops, assigned, naming, innerVariables } = loopCode(body);
  const canMove = !syntax.references.some(({ name }) => name === "eval");
  if (loops.length === 0) return { canMove, target: () => undefined, write: () => undefined };
  const isLooped = ({ start }: Reference) => spanAt(loops, start) !== undefined;
  const outer = syntax.references.filter(({ isNested }) => !isNested);
  const declared = declarations(body);
  const fixed = new Set([...innerVariables, ...implied]);
  for (const { name, form, start } of outer) {
    if (form === "callee" || form === "statement" || naming.has(start)) fixed.add(name);
  }
  /** From where on names are in fields. */
  const from = new Map<string, number>();
  for (const reference of outer) {
    const { name, start } = reference;
    if (from.has(name) || !isLooped(reference)) continue;
    const statement = spanAt(body, start)?.start ?? start;
    if (!values.has(name)) {
      if (isEarlier(name)) from.set(name, statement);
    } else if (canMove && values.get(name) && assigned.has(start) && !fixed.has(name)) {
      if ((declared.get(name) ?? statement) < statement) from.set(name, statement);
    }
  }
  return {
    canMove,
    target: (reference) => {
      const { name, start, isNested } = reference;
      const since = from.get(name);
      if (since === undefined || isNested || start < since) return undefined;
      return isLooped(reference) ? `${fieldName(name)}.${name}` : `${namesName}.${name}`;
    },
    write: (text) => {
      for (const [name, start] of from) {
        text.prependRight(start, `const ${fieldName(name)} = ${holdName}(${JSON.stringify(name)}); `);
      }
    },
  };
}

function fieldName(name: string): string {
  return `__siteframe_of_${name}`;
}

/** Where the one statement ends that declares a variable; `Infinity` if there are several. */
function declarations(body: readonly Node[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  for (const statement of body.map(declarationOf)) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const name of statement.declarations.flatMap(({ id }) => patternNames(id))) {
      ends.set(name, ends.has(name) ? Number.POSITIVE_INFINITY : statement.end);
    }
  }
  return ends;
}

/** The one among spans, in the order of the code, in which a place is. */
function spanAt(spans: readonly Span[], place: number): Span | undefined {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  return span && span.start <= place ? span : undefined;
}
