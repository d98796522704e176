import type { Node, Span } from "oxc-parser";
import { childNodes } from "./child-nodes.js";
import { declarationOf } from "./declaration-of.js";
import { isType } from "./is-type.js";
import { patternNames } from "./pattern-names.js";

/** What of a cell runs again and again at the top of it, outside of functions and classes. */
export interface LoopCode {
  /** The outermost loops, in the order of the code. */
  readonly loops: readonly Span[];
  /** Where names stand to which loops assign, but by counting: whole numbers that are small need no box. */
  readonly assigned: ReadonlySet<number>;
  /** Where names stand, in loops or not, that are assigned a function or a class, which may take its name from them. */
  readonly naming: ReadonlySet<number>;
  /** What `var` declares in blocks and loops. */
  readonly innerVariables: ReadonlySet<string>;
}

const apart = /Function|^Class(Declaration|Expression)$|^ArrowFunction/;

/** Looks at the statements of a cell. */
export function loopCode(statements: readonly Node[]): LoopCode {
  const loops: Span[] = [];
  const found = { loops, assigned: new Set<number>(), naming: new Set<number>(), innerVariables: new Set<string>() };
  const top = new Set(statements.map(declarationOf));
  // A list, since a sum may have more operands than calls can be in each other.
  const left: { readonly node: Node; readonly isLooped: boolean }[] = [];
  const add = (nodes: readonly Node[], isLooped: boolean) => {
    for (const node of [...nodes].reverse()) if (!isType(node) && !apart.test(node.type)) left.push({ node, isLooped });
  };
  add(statements, false);
  for (let next = left.pop(); next; next = left.pop()) {
    const { node } = next;
    const isLooped = next.isLooped || isLoop(node);
    if (isLooped && !next.isLooped) loops.push({ start: node.start, end: node.end });
    if (isLooped) for (const start of targetsOf(node)) found.assigned.add(start);
    for (const start of namingTargets(node)) found.naming.add(start);
    if (node.type === "VariableDeclaration" && node.kind === "var" && !top.has(node)) {
      for (const { id } of node.declarations) for (const name of patternNames(id)) found.innerVariables.add(name);
    }
    add(childNodes(node), isLooped);
  }
  return found;
}

function isLoop({ type }: Node): boolean {
  return /^(For(In|Of)?|While|DoWhile)Statement$/.test(type);
}

/** Where the names stand to which a node assigns; not those of `n++`. */
function targetsOf(node: Node): readonly number[] {
  switch (node.type) {
    case "AssignmentExpression":
      return isCounting(node) ? [] : namesIn(node.left);
    case "ForInStatement":
    case "ForOfStatement":
      return namesIn(node.left);
    default:
      return [];
  }
}

/** `n += 1`. */
function isCounting({ operator, right }: Node & { readonly type: "AssignmentExpression" }): boolean {
  return /^[+-]=$/.test(operator) && right.type === "Literal" && Number.isInteger(right.value);
}

/** The names among the targets of an assignment, and not what they are members of. */
function namesIn(target: Node | null): readonly number[] {
  switch (target?.type) {
    case "Identifier":
      return [target.start];
    case "ObjectPattern":
      return target.properties.flatMap((each) => namesIn(each.type === "Property" ? each.value : each.argument));
    case "ArrayPattern":
      return target.elements.flatMap(namesIn);
    case "AssignmentPattern":
      return namesIn(target.left);
    case "RestElement":
      return namesIn(target.argument);
    default:
      return target && isAround(target) ? namesIn(target.expression) : [];
  }
}

function namingTargets(node: Node): readonly number[] {
  if (node.type !== "AssignmentExpression" && node.type !== "AssignmentPattern") return [];
  return apart.test(within(node.right).type) ? namesIn(node.left) : [];
}

function within(node: Node): Node {
  return isAround(node) ? within(node.expression) : node;
}

type Around = Node & { readonly expression: Node };

/** Brackets, and what only says a type. */
function isAround(node: Node): node is Around {
  return /^(ParenthesizedExpression|TS(As|Satisfies|NonNull)Expression|TSTypeAssertion)$/.test(node.type);
}
