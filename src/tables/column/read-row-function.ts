import { type AnyNode, type CallExpression, type Expression, type Function as FunctionNode, parse } from "acorn";
import type { ColumnTable } from "arquero";
import { isAggregate, isArquerosFunction } from "./arquero-functions.js";

/** The position of an expression in a verb. */
export interface Position {
  readonly verb: string;
  /** The tables whose rows it receives. */
  readonly tables: readonly ColumnTable[];
  /** The name of the column that it computes. */
  readonly name?: string;
  /** The window of `rolling()`. */
  readonly window?: { readonly frame: readonly number[] };
  /** Whether it is computed for groups instead of rows: `rollup`. */
  readonly isOfGroup?: boolean;
  /** Whether Arquero passes rows only to expressions with an aggregate: `impute`. */
  readonly needsAggregate?: boolean;
}

/** A range of a string. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Named extends Span {
  readonly name: string;
}

/** A call that may be to one of Arquero's functions. */
export interface OpCall extends Named {
  /** The first name of the callee: `op`. */
  readonly head: string;
  readonly callee: Span;
  readonly arguments: readonly Span[];
  /** Whether the text alone proves it: `op.mean(d.x)`, but not `mean(d.x)`, which may be a function of the user. */
  readonly isSure: boolean;
  readonly isAggregate: boolean;
}

/** How a row is read: by column name, or as a whole. */
interface RowUse {
  /** 0 for the first row, 1 for the second. */
  readonly row: number;
  readonly column: string | undefined;
  readonly start: number;
}

/** A comparison of a column with a literal. */
export interface Comparison {
  readonly row: number;
  readonly column: string;
  readonly value: unknown;
}

type Binding =
  | { readonly kind: "row"; readonly row: number }
  | { readonly kind: "column"; readonly row: number; readonly column: string }
  | { readonly kind: "parameters" | "parameter" | "local" | "inner" };

interface Place {
  readonly scope: ReadonlyMap<string, Binding>;
  /** Whether it may refer to other rows: in an inner function, or in a verb call on another table. */
  readonly isInner: boolean;
}

const plainConstants = new Set(["undefined", "Infinity", "NaN"]);
const constants = new Set(["E", "LN2", "LN10", "LOG2E", "LOG10E", "PI", "SQRT1_2", "SQRT2"]);
/** Names of Arquero's own arguments, which a local variable of the same name would shadow. */
const taken = new Set("row data op fn $ row0 data0 row1 data1 row2 data2 Math".split(" "));
/** Verbs that accept expressions and are not also methods of arrays. */
const verbs = new Set(
  "agg antijoin count cross dedupe derive fold groupby impute join_full join_left join_right lookup orderby pivot rollup sample semijoin spread unroll".split(
    " ",
  ),
);

/** Globals of every JavaScript environment. */
export const standardNames = new Set(
  (
    "Array BigInt Boolean Date Error Infinity Intl JSON Map Math NaN Number Object RangeError RegExp Set String Symbol " +
    "TypeError decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat parseInt undefined"
  ).split(" "),
);

const never = () => false;

/** All nodes that Arquero supports, and whether it rejects or misinterprets one. */
const isOdd: { readonly [Type in AnyNode["type"]]?: (node: Extract<AnyNode, { type: Type }>) => boolean } = {
  Literal: never,
  TemplateLiteral: never,
  TemplateElement: never,
  Identifier: never,
  // Arquero omits the parentheses: `1.length`, `void(0).length`.
  MemberExpression: ({ object }) => isNumber(object) || isUndefined(object),
  CallExpression: never,
  UnaryExpression: ({ operator }) => !"!+-~".includes(operator),
  BinaryExpression: ({ operator, left }) => operator === "**" && isUndefined(left),
  LogicalExpression: never,
  ConditionalExpression: never,
  ArrayExpression: ({ elements }) => elements.includes(null),
  SpreadElement: never,
  ObjectExpression: ({ properties }) => properties.some(({ type }) => type === "SpreadElement"),
  Property: ({ computed, method, kind }) => computed || method || kind !== "init",
  ReturnStatement: ({ argument }) => !argument,
  ExpressionStatement: never,
  VariableDeclaration: never,
  VariableDeclarator: ({ id, init }) => id.type !== "Identifier" || !init,
  IfStatement: ({ consequent, alternate }) =>
    consequent.type !== "BlockStatement" ||
    (alternate ? !["BlockStatement", "IfStatement"].includes(alternate.type) : false),
  BlockStatement: never,
};

const isPlainPattern = (pattern: AnyNode) =>
  pattern.type === "Identifier" ||
  patternKeys(pattern)?.every(([key, target]) => isName(key) && target.type === "Identifier");

export const isIn = ({ start, end }: Span, position: number) => position >= start && position < end;

/** A range of a string and its replacement. */
export interface Edit extends Span {
  readonly text: string;
}

const OFFSET = 1;
const spanOf = ({ start, end }: Span): Span => ({ start: start - OFFSET, end: end - OFFSET });

/** Parses a function of rows. Returns undefined if its code cannot be parsed, as for `Boolean`. */
export function readRowFunction(text: string, rowCount: number, isText: boolean): RowFunction | undefined {
  const tree = parseExpression(`(${text}\n)`) ?? (isText ? undefined : parseExpression(`({${text}\n})`));
  return tree && new RowFunction(tree, text, rowCount, isText);
}

function parseExpression(text: string): Expression | undefined {
  try {
    const [statement] = parse(text, { ecmaVersion: "latest" }).body;
    return statement?.type === "ExpressionStatement" ? statement.expression : undefined;
  } catch {
    return undefined;
  }
}

/** Facts from the code of a function of rows, or of an expression. Positions are indices in `text`. */
export class RowFunction {
  readonly text: string;
  /** Number of rows that it receives. */
  readonly rowCount: number;
  /** Whether it is a function, not only an expression of Arquero's language. */
  readonly isFunction: boolean;
  /** Whether its text is an expression; the text of a method is not. */
  readonly isExpression: boolean;
  /** Asynchronous functions and generators return no value for a row. */
  readonly isPlain: boolean;
  parameters: readonly Span[] = [];
  body: Span;
  /** Positions of code that Arquero rejects, or compiles with another meaning than in JavaScript. */
  readonly odd: number[] = [];
  /** Names that are neither declared here nor built into Arquero. */
  readonly free: Named[] = [];
  /** Names of constants that Arquero knows, but JavaScript does not: `PI`. */
  readonly constants: Named[] = [];
  readonly calls: OpCall[] = [];
  readonly locals: Named[] = [];
  readonly uses: RowUse[] = [];
  /** Comparisons of a column with a literal, for which Arquero uses the keys of a column that has keys. */
  readonly comparisons: Comparison[] = [];
  readonly #isText: boolean;

  constructor(tree: Expression, text: string, rowCount: number, isText: boolean) {
    this.text = text;
    this.rowCount = rowCount;
    this.#isText = isText;
    const method = tree.type === "ObjectExpression" && !isText ? tree.properties[0] : undefined;
    const value = method?.type === "Property" ? method.value : tree;
    const isFunction = value.type === "ArrowFunctionExpression" || value.type === "FunctionExpression";
    this.isFunction = isFunction;
    this.isExpression = value === tree && (isText || isFunction);
    this.isPlain = !isFunction || !(value.async || value.generator);
    this.body = spanOf(isFunction ? value.body : tree);
    if (value !== tree) this.odd.push(0);
    if (isFunction) this.#readFunction(value);
    else this.#readExpression(tree);
  }

  /** A range of the text (default: all of it) with replacements. */
  edited(edits: readonly Edit[], span: Span = { start: 0, end: this.text.length }): string {
    let text = "";
    let position = span.start;
    for (const edit of edits.filter(({ start }) => isIn(span, start)).sort((a, b) => a.start - b.start)) {
      text += this.text.slice(position, edit.start) + edit.text;
      position = edit.end;
    }
    return text + this.text.slice(position, span.end);
  }

  #readExpression(tree: Expression): void {
    const names = this.rowCount === 1 ? ["d"] : ["d1", "d2"];
    const scope = new Map<string, Binding>(names.map((name, row) => [name, { kind: "row", row }]));
    scope.set("$", { kind: "parameters" });
    this.#visit(tree, { scope, isInner: false });
  }

  #readFunction(node: FunctionNode): void {
    const scope = new Map<string, Binding>();
    for (const [index, pattern] of node.params.entries()) {
      if (index < this.rowCount) this.#readRow(pattern, index, scope);
      else {
        const kind = pattern.type === "Identifier" ? "parameters" : isPlainPattern(pattern) ? "parameter" : "inner";
        for (const name of patternNames(pattern)) scope.set(name, { kind: index === this.rowCount ? kind : "inner" });
        if (index > this.rowCount) this.#isOdd(pattern);
      }
    }
    this.#declareFunction(node, scope);
    if (node.type === "FunctionExpression" && node.id) scope.set(node.id.name, { kind: "inner" });
    this.parameters = node.params.map(spanOf);
    const context = { scope, isInner: false };
    // Defaults of parameters are normal JavaScript.
    for (const pattern of node.params) if (!isPlainPattern(pattern)) this.#visit(pattern, context);
    this.#visit(node.body, context);
  }

  #isOdd(node: AnyNode): void {
    this.odd.push(node.start - OFFSET);
  }

  #use(row: number, column: string | undefined, node: AnyNode): void {
    // Every object has it, including Arquero's object of columns.
    if (column !== undefined && column in Object.prototype) this.#isOdd(node);
    this.uses.push({ row, column, start: node.start - OFFSET });
  }

  #readRow(pattern: AnyNode, row: number, scope: Map<string, Binding>): void {
    if (pattern.type === "Identifier") {
      scope.set(pattern.name, { kind: "row", row });
      return;
    }
    const keys = patternKeys(pattern);
    if (!keys) this.#use(row, undefined, pattern);
    for (const name of patternNames(pattern)) scope.set(name, { kind: "inner" });
    for (const [column, target] of keys ?? []) {
      this.#use(row, column, pattern);
      if (target.type === "Identifier") scope.set(target.name, { kind: "column", row, column });
    }
  }

  #declareFunction(node: FunctionNode, scope: Map<string, Binding>): void {
    if (node.type !== "ArrowFunctionExpression") scope.set("arguments", { kind: "inner" });
    if (node.body.type !== "BlockStatement") return;
    for (const { name, isOuter, start } of declaredNames(node.body.body)) {
      const isHidden = scope.has(name) || taken.has(name) || constants.has(name) || plainConstants.has(name);
      if (isHidden || !isOuter) this.odd.push(start - OFFSET);
      scope.set(name, { kind: "local" });
    }
  }

  #visit(node: AnyNode, context: Place): void {
    if (isOdd[node.type]?.(node as never) ?? true) this.#isOdd(node);
    switch (node.type) {
      case "Identifier":
        this.#visitName(node, context);
        return;
      case "MemberExpression":
        this.#visitMember(node, context);
        return;
      case "CallExpression":
        this.#visitCall(node, context);
        return;
      case "ArrowFunctionExpression":
      case "FunctionExpression":
      case "FunctionDeclaration":
        this.#visitInner(node, context);
        return;
      case "VariableDeclarator":
        this.#visitDeclarator(node, context);
        return;
      case "BinaryExpression":
        this.#compare(node.operator, node.left, node.right, context);
        this.#compare(node.operator, node.right, node.left, context);
    }
    for (const child of children(node)) this.#visit(child, context);
  }

  #visitDeclarator(node: AnyNode & { type: "VariableDeclarator" }, context: Place): void {
    if (node.id.type !== "Identifier") this.#visit(node.id, context);
    const keys = patternKeys(node.id);
    const binding = node.init?.type === "Identifier" ? context.scope.get(node.init.name) : undefined;
    if (keys && binding?.kind === "row") for (const [column] of keys) this.#use(binding.row, column, node);
    else if (node.init) this.#visit(node.init, context);
  }

  /** An inner function: Arquero does not support them. */
  #visitInner(node: FunctionNode, context: Place): void {
    const scope = new Map(context.scope);
    const declared = node.body.type === "BlockStatement" ? declaredNames(node.body.body) : [];
    const names = [...node.params.flatMap(patternNames), ...declared.map(({ name }) => name)];
    if (node.type !== "ArrowFunctionExpression") names.push("arguments");
    if (node.id) names.push(node.id.name);
    for (const name of names) scope.set(name, { kind: "inner" });
    const isInner = context.isInner || node.params.length > 0;
    for (const part of [...node.params, node.body]) this.#visit(part, { scope, isInner });
  }

  #visitName(node: AnyNode & { type: "Identifier" }, { scope }: Place): void {
    const { name } = node;
    const binding = scope.get(name);
    const named = { name, ...spanOf(node) };
    switch (binding?.kind) {
      case "row":
        this.#use(binding.row, undefined, node);
        this.#isOdd(node);
        return;
      case "parameters":
        if (name !== "$") this.#isOdd(node);
        return;
      case "column":
        this.#use(binding.row, binding.column, node);
        return;
      case "local":
        this.locals.push(named);
        return;
      case "inner":
        if (name !== "arguments") return;
        this.#isOdd(node);
        for (let row = 0; row < this.rowCount; row++) this.#use(row, undefined, node);
        return;
      case undefined:
        if (constants.has(name)) this.constants.push(named);
        else if (!plainConstants.has(name)) this.free.push(named);
    }
  }

  #visitMember(node: AnyNode & { type: "MemberExpression" }, context: Place): void {
    const { object, property, computed } = node;
    const binding = object.type === "Identifier" ? context.scope.get(object.name) : undefined;
    const key = memberKey(node);
    if (computed && key === undefined) {
      // Arquero treats it as a key that is the same in all rows.
      if (binding?.kind === "row" || binding?.kind === "parameters") this.#isOdd(node);
      this.#visit(property, context);
    }
    if (binding?.kind === "row" && key !== undefined) {
      this.#use(binding.row, key, node);
      return;
    }
    if (binding?.kind === "parameters" && key !== undefined) return;
    if (binding?.kind === "parameter") this.#isOdd(node);
    if (object.type === "Identifier" && object.name === "Math" && !binding && key !== undefined) {
      if (computed || !constants.has(key)) this.#isOdd(node);
      return;
    }
    this.#visit(object as AnyNode, context);
  }

  #visitCall(node: CallExpression, context: Place): void {
    const { callee } = node;
    const call = this.#opCall(callee, context);
    if (!call) {
      this.#isOdd(node);
      this.#visit(callee as AnyNode, context);
    }
    const isOfVerb = !call && callee.type === "MemberExpression" && verbs.has(memberKey(callee) ?? "");
    const { length } = this.uses;
    for (const argument of node.arguments) this.#visit(argument, isOfVerb ? { ...context, isInner: true } : context);
    if (!call || (context.isInner && this.uses.length === length && isAggregate(call.name))) return;
    const ranges = { ...spanOf(node), callee: spanOf(callee), arguments: node.arguments.map(spanOf) };
    this.calls.push({ ...call, ...ranges, isAggregate: isAggregate(call.name) });
  }

  /** The Arquero function that a call may refer to, which Arquero finds by its last name. */
  #opCall(callee: AnyNode, context: Place): Pick<OpCall, "name" | "head" | "isSure"> | undefined {
    const { scope } = context;
    const path = memberPath(callee);
    const [head, ...rest] = path ?? [];
    const last = path?.at(-1);
    if (head === undefined || last === undefined || scope.has(head)) return undefined;
    if (head === "Math") {
      const name = last === "max" ? "greatest" : last === "min" ? "least" : last;
      return rest.length === 1 && isArquerosFunction(name) ? { name, head, isSure: true } : undefined;
    }
    if (path?.at(-2) === "op") return { name: last, head, isSure: true };
    if ((rest.length > 0 && standardNames.has(head)) || !isArquerosFunction(last)) return undefined;
    return { name: last, head, isSure: this.#isText && rest.length === 0 };
  }

  #compare(operator: string, side: AnyNode, other: AnyNode, { scope }: Place): void {
    // `===` cannot be misinterpreted.
    if (!/^(==|!==?)$/.test(operator) || other.type !== "Literal") return;
    const name = side.type === "MemberExpression" ? side.object : side;
    const binding = name.type === "Identifier" ? scope.get(name.name) : undefined;
    const { value } = other;
    if (side.type === "Identifier" && binding?.kind === "column")
      this.comparisons.push({ row: binding.row, column: binding.column, value });
    const column = side.type === "MemberExpression" ? memberKey(side) : undefined;
    if (binding?.kind === "row" && column !== undefined) this.comparisons.push({ row: binding.row, column, value });
  }
}

export const isNumber = (node: AnyNode) => node.type === "Literal" && typeof node.value === "number";
const isUndefined = (node: AnyNode) => node.type === "Identifier" && node.name === "undefined";

/** Arquero writes keys of patterns without quotes. */
export const isName = (key: string) => /^[\w$]+$/.test(key) && !/^\d/.test(key);

/** The name of a member, if it is a literal. */
function memberKey(node: AnyNode & { type: "MemberExpression" }): string | undefined {
  const { property, computed } = node;
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" && ["string", "number"].includes(typeof property.value)
    ? String(property.value)
    : undefined;
}

/** The names of `a.b.c`. */
function memberPath(node: AnyNode): readonly string[] | undefined {
  if (node.type === "Identifier") return [node.name];
  if (node.type !== "MemberExpression" || node.computed || node.optional) return undefined;
  const before = memberPath(node.object as AnyNode);
  return before && node.property.type === "Identifier" ? [...before, node.property.name] : undefined;
}

/** The keys of an object pattern with nothing but keys, and their targets. */
function patternKeys(pattern: AnyNode): readonly (readonly [string, AnyNode])[] | undefined {
  if (pattern.type !== "ObjectPattern") return undefined;
  const keys = pattern.properties.map((property) => {
    if (property.type === "RestElement" || property.computed) return undefined;
    const { key, value } = property;
    if (key.type === "Identifier") return [key.name, value] as const;
    return key.type === "Literal" ? ([String(key.value), value] as const) : undefined;
  });
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** The names that a pattern declares. */
export function patternNames(pattern: AnyNode): readonly string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "AssignmentPattern") return patternNames(pattern.left);
  return pattern.type === "Property" ? patternNames(pattern.value) : children(pattern).flatMap(patternNames);
}

interface Declared {
  readonly name: string;
  readonly start: number;
  /** Whether it is in the function's outermost block. */
  readonly isOuter: boolean;
}

/** Declarations in statements, without those in inner functions. */
export function declaredNames(statements: readonly AnyNode[]): readonly Declared[] {
  const names: Declared[] = [];
  const look = (node: AnyNode, isOuter: boolean): void => {
    const add = (name: string) => names.push({ name, start: node.start, isOuter });
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
      add(node.id?.name ?? "");
      return;
    }
    if (node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression") return;
    if (node.type === "VariableDeclarator") patternNames(node.id).forEach(add);
    if (node.type === "CatchClause" && node.param) patternNames(node.param).forEach(add);
    for (const child of children(node)) look(child, isOuter && node.type === "VariableDeclaration");
  };
  for (const statement of statements) look(statement, true);
  return names;
}

export function children(node: AnyNode): readonly AnyNode[] {
  return Object.entries(node).flatMap(([key, value]): readonly AnyNode[] => {
    // Keys and names of members are not variables.
    if ((key === "key" || key === "property") && !("computed" in node && node.computed)) return [];
    if (key === "label") return [];
    const nodes: readonly unknown[] = Array.isArray(value) ? value : [value];
    return nodes.filter(isNode);
  });
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
