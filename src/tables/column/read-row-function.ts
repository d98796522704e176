import { type AnyNode, type CallExpression, type Expression, type Function as FunctionNode, parse } from "acorn";
import type { Comparison, KnownOps, Named, OpCall, RowParameter, RowUse, Span } from "./row-function.js";
import {
  children,
  declaredNames,
  isBlock,
  isName,
  isNumber,
  isUndefined,
  memberKey,
  memberPath,
  patternKeys,
  patternNames,
  walkPattern,
} from "./syntax-tree.js";

type InnerFunction = Extract<AnyNode, FunctionNode>;

type Binding =
  | { readonly kind: "row"; readonly row: number }
  | { readonly kind: "column"; readonly row: number; readonly column: string }
  | { readonly kind: "parameters" | "parameter" | "local" | "inner" };

interface Place {
  readonly scope: ReadonlyMap<string, Binding>;
  readonly isConditional: boolean;
  /** Whether it is given to a verb of a table, whose expressions are its own. */
  readonly isOfVerb: boolean;
}

const plainConstants = new Set(["undefined", "Infinity", "NaN"]);
const constants = new Set(["E", "LN2", "LN10", "LOG2E", "LOG10E", "PI", "SQRT1_2", "SQRT2"]);
/** What Arquero calls its own arguments: a local variable of the same name would hide them. */
const taken = new Set("row data op fn $ row0 data0 row1 data1 row2 data2 Math".split(" "));
const compiledOperators = new Set(["!", "+", "-", "~"]);
/** Verbs that take expressions, and are no methods of arrays. */
const verbs = new Set(
  "agg antijoin count cross dedupe derive fold groupby impute join_full join_left join_right lookup orderby pivot rollup sample semijoin spread unroll".split(
    " ",
  ),
);

/** What is there wherever JavaScript runs, by the same name. */
export const standardNames = new Set(
  (
    "Array BigInt Boolean Date Error Infinity Intl JSON Map Math NaN Number Object RangeError RegExp Set String Symbol " +
    "TypeError decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat parseInt undefined"
  ).split(" "),
);

const OFFSET = 1;

/** Reads a function of rows; undefined where its text cannot be read, as that of `Boolean`. */
export function readRowFunction(
  text: string,
  rowCount: number,
  known: KnownOps,
  isText: boolean,
): RowFunction | undefined {
  const tree = parseExpression(`(${text}\n)`) ?? (isText ? undefined : parseExpression(`({${text}\n})`));
  return tree && new RowFunction(tree, text, rowCount, known, isText);
}

function parseExpression(text: string): Expression | undefined {
  try {
    const [statement] = parse(text, { ecmaVersion: "latest" }).body;
    return statement?.type === "ExpressionStatement" ? statement.expression : undefined;
  } catch {
    return undefined;
  }
}

/** What the text of a function of rows, or of an expression, says of it. Places are places in `text`. */
export class RowFunction {
  /** Empty where it is no expression, as that of a method. */
  readonly text: string;
  readonly isFunction: boolean;
  /** Asynchronous functions and generators answer no row. */
  readonly isPlain: boolean;
  /** Whether Arquero compiles it as it is, whatever the table. */
  readonly isSimple: boolean;
  readonly rows: RowParameter[] = [];
  /** The name of the parameter with the table's parameters; undefined if it is taken apart. */
  parameter: { readonly name: string | undefined } | undefined;
  parameters: Span | undefined;
  /** Where something begins that Arquero refuses, or compiles to something else than what it is in JavaScript. */
  readonly odd: number[] = [];
  /** Names that are neither declared here nor known to Arquero. */
  readonly free: Named[] = [];
  /** Names of constants that Arquero knows, and that JavaScript does not: `PI`. */
  readonly constants: Named[] = [];
  /** What stands before `.op`, or `op` itself. */
  readonly opNames = new Set<string>();
  readonly calls: OpCall[] = [];
  readonly locals: Named[] = [];
  readonly uses: RowUse[] = [];
  usesParameters = false;
  /** Comparisons of a column with a value that is written there, which Arquero makes of keys where a column has some. */
  readonly comparisons: Comparison[] = [];
  readonly #rowCount: number;
  readonly #known: KnownOps;
  readonly #isText: boolean;

  constructor(tree: Expression, text: string, rowCount: number, known: KnownOps, isText: boolean) {
    this.#rowCount = rowCount;
    this.#known = known;
    this.#isText = isText;
    const method = tree.type === "ObjectExpression" && !isText ? tree.properties[0] : undefined;
    const value = method?.type === "Property" ? method.value : tree;
    this.isFunction = value.type === "ArrowFunctionExpression" || value.type === "FunctionExpression";
    if (value.type === "ArrowFunctionExpression" || value.type === "FunctionExpression") {
      this.text = value === tree ? text : "";
      this.isPlain = !value.async && !value.generator;
      if (value !== tree) this.odd.push(0);
      this.#readFunction(value);
    } else {
      this.text = isText ? text : "";
      this.isPlain = true;
      this.#readExpression(tree);
    }
    this.isSimple =
      [this.odd, this.free, this.constants, this.locals, this.comparisons].every(({ length }) => length === 0) &&
      this.calls.every((call) => call.isSure);
  }

  #readExpression(tree: Expression): void {
    const names = this.#rowCount === 1 ? ["d"] : ["d1", "d2"];
    const scope = new Map<string, Binding>(names.map((name, row) => [name, { kind: "row", row }]));
    scope.set("$", { kind: "parameters" });
    this.rows.push(...names.map((name) => ({ kind: "name", name }) as const));
    this.parameter = { name: "$" };
    this.#visit(tree, { scope, isConditional: false, isOfVerb: false });
  }

  #readFunction(node: FunctionNode): void {
    const scope = new Map<string, Binding>();
    for (const [index, pattern] of node.params.entries()) {
      if (index < this.#rowCount) this.rows.push(this.#readRow(pattern, index, scope));
      else if (pattern.type === "Identifier" && index === this.#rowCount) {
        scope.set(pattern.name, { kind: "parameters" });
        this.parameter = { name: pattern.name };
      } else {
        if (index === this.#rowCount) this.parameter = { name: undefined };
        this.#readParameter(pattern, index, scope);
      }
    }
    this.#declareFunction(node, scope);
    if (node.type === "FunctionExpression" && node.id) scope.set(node.id.name, { kind: "inner" });
    const place = { scope, isConditional: false, isOfVerb: false };
    for (const pattern of node.params) this.#visitDefaults(pattern, place);
    if (node.body.type === "BlockStatement") this.#visitBlock(node.body.body, place, true);
    else this.#visit(node.body, place);
    const [first] = node.params;
    const last = node.params.at(-1);
    this.parameters = first && last ? { start: first.start - OFFSET, end: last.end - OFFSET } : undefined;
  }

  #span(node: AnyNode): Span {
    return { start: node.start - OFFSET, end: node.end - OFFSET };
  }

  #isOdd(node: AnyNode): void {
    this.odd.push(node.start - OFFSET);
  }

  #use(row: number, column: string | undefined, node: AnyNode): void {
    // Every object has it, and so has Arquero's object of columns.
    if (column !== undefined && column in Object.prototype) this.#isOdd(node);
    this.uses.push({ row, column, start: node.start - OFFSET });
  }

  #readRow(pattern: AnyNode, row: number, scope: Map<string, Binding>): RowParameter {
    if (pattern.type === "Identifier") {
      scope.set(pattern.name, { kind: "row", row });
      return { kind: "name", name: pattern.name };
    }
    const keys = patternKeys(pattern);
    if (!keys) {
      this.#isOdd(pattern);
      this.#use(row, undefined, pattern);
      for (const name of patternNames(pattern)) scope.set(name, { kind: "inner" });
      return { kind: "other" };
    }
    const aliases = new Map<string, string>();
    for (const [column, target] of keys) {
      this.#use(row, column, pattern);
      if (target.type === "Identifier") {
        scope.set(target.name, { kind: "column", row, column });
        if (isName(column)) aliases.set(column, target.name);
        else this.#isOdd(target);
      } else {
        this.#isOdd(target);
        for (const name of patternNames(target)) scope.set(name, { kind: "inner" });
      }
    }
    return aliases.size === keys.length ? { kind: "pattern", aliases } : { kind: "other" };
  }

  #readParameter(pattern: AnyNode, index: number, scope: Map<string, Binding>): void {
    const keys = index === this.#rowCount ? patternKeys(pattern) : undefined;
    const isSimple = keys?.every(([key, target]) => isName(key) && target.type === "Identifier") ?? false;
    if (!isSimple) this.#isOdd(pattern);
    if (isSimple) this.usesParameters = true;
    for (const name of patternNames(pattern)) scope.set(name, { kind: isSimple ? "parameter" : "inner" });
  }

  /** Defaults of parameters are JavaScript like any other. */
  #visitDefaults(pattern: AnyNode, place: Place): void {
    walkPattern(pattern, (node) => {
      if (node.type === "AssignmentPattern") this.#visit(node.right, { ...place, isConditional: true });
      else if (node.type === "Property" && node.computed) this.#visit(node.key, place);
    });
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

  #visitAll(nodes: readonly (AnyNode | null)[], place: Place): void {
    for (const node of nodes) if (node) this.#visit(node, place);
  }

  #visitBlock(statements: readonly AnyNode[], outer: Place, isOwn: boolean): void {
    let place = outer;
    for (const statement of statements) {
      this.#visit(statement, place);
      // What comes after a condition may come after its `return`.
      const isLast = statement.type === "VariableDeclaration" || statement.type === "ExpressionStatement";
      if (isOwn && !isLast) place = { ...place, isConditional: true };
    }
  }

  #visit(node: AnyNode, place: Place): void {
    const maybe = { ...place, isConditional: true };
    switch (node.type) {
      case "Literal":
        return;
      case "TemplateLiteral":
        this.#visitAll(node.expressions, place);
        return;
      case "Identifier":
        this.#visitName(node, place);
        return;
      case "MemberExpression":
        this.#visitMember(node, place);
        return;
      case "CallExpression":
        this.#visitCall(node, place);
        return;
      case "ChainExpression":
        this.#isOdd(node);
        this.#visit(node.expression, maybe);
        return;
      case "UnaryExpression":
        if (!compiledOperators.has(node.operator)) this.#isOdd(node);
        this.#visit(node.argument, place);
        return;
      case "BinaryExpression":
        if (node.left.type === "PrivateIdentifier") return;
        if (node.operator === "**" && isUndefined(node.left)) this.#isOdd(node);
        this.#compare(node.operator, node.left, node.right, place);
        this.#compare(node.operator, node.right, node.left, place);
        this.#visitAll([node.left, node.right], place);
        return;
      case "LogicalExpression":
        this.#visit(node.left, place);
        this.#visit(node.right, maybe);
        return;
      case "ConditionalExpression":
        this.#visit(node.test, place);
        this.#visitAll([node.consequent, node.alternate], maybe);
        return;
      case "ArrayExpression":
        if (node.elements.includes(null)) this.#isOdd(node);
        this.#visitAll(node.elements, place);
        return;
      case "SpreadElement":
        this.#visit(node.argument, place);
        return;
      case "ObjectExpression":
        for (const property of node.properties) {
          if (property.type === "SpreadElement" || property.computed || property.method || property.kind !== "init")
            this.#isOdd(property);
          if (property.type === "SpreadElement") this.#visit(property.argument, place);
          else {
            if (property.computed) this.#visit(property.key, place);
            this.#visit(property.value, place);
          }
        }
        return;
      case "ArrowFunctionExpression":
      case "FunctionExpression":
      case "FunctionDeclaration":
        this.#visitInner(node, maybe);
        return;
      default:
        this.#visitStatement(node, place, maybe);
    }
  }

  #visitStatement(node: AnyNode, place: Place, maybe: Place): void {
    switch (node.type) {
      case "ReturnStatement":
        if (node.argument) this.#visit(node.argument, place);
        else this.#isOdd(node);
        return;
      case "ExpressionStatement":
        this.#visit(node.expression, place);
        return;
      case "VariableDeclaration":
        for (const declarator of node.declarations) this.#visitDeclarator(declarator, place);
        return;
      case "IfStatement":
        if (node.consequent.type !== "BlockStatement" || !isBlock(node.alternate)) this.#isOdd(node);
        this.#visit(node.test, place);
        this.#visitAll([node.consequent, node.alternate ?? null], maybe);
        return;
      case "BlockStatement":
        this.#visitBlock(node.body, place, false);
        return;
      default:
        // Whatever else there is, Arquero does not compile, or not as JavaScript has it.
        this.#isOdd(node);
        for (const child of children(node)) this.#visit(child, maybe);
    }
  }

  #visitDeclarator(node: AnyNode & { type: "VariableDeclarator" }, place: Place): void {
    if (node.id.type !== "Identifier" || !node.init) this.#isOdd(node);
    this.#visitDefaults(node.id, place);
    const keys = node.id.type === "ObjectPattern" ? patternKeys(node.id) : undefined;
    const binding = node.init?.type === "Identifier" ? place.scope.get(node.init.name) : undefined;
    if (keys && binding?.kind === "row") for (const [column] of keys) this.#use(binding.row, column, node);
    else if (node.init) this.#visit(node.init, place);
  }

  /** A function in the function: Arquero knows none. */
  #visitInner(node: InnerFunction, place: Place): void {
    this.#isOdd(node);
    const scope = new Map(place.scope);
    if (node.type !== "ArrowFunctionExpression") scope.set("arguments", { kind: "inner" });
    if (node.id) scope.set(node.id.name, { kind: "inner" });
    for (const pattern of node.params) for (const name of patternNames(pattern)) scope.set(name, { kind: "inner" });
    if (node.body.type === "BlockStatement")
      for (const { name } of declaredNames(node.body.body)) scope.set(name, { kind: "inner" });
    for (const pattern of node.params) this.#visitDefaults(pattern, { ...place, scope });
    this.#visit(node.body, { ...place, scope });
  }

  #visitName(node: AnyNode & { type: "Identifier" }, { scope }: Place): void {
    const { name } = node;
    const binding = scope.get(name);
    const named = { name, ...this.#span(node) };
    switch (binding?.kind) {
      case "row":
        this.#use(binding.row, undefined, node);
        this.#isOdd(node);
        return;
      case "parameters":
        this.usesParameters = true;
        if (name !== "$") this.#isOdd(node);
        return;
      case "column":
        this.#use(binding.row, binding.column, node);
        return;
      case "parameter":
        return;
      case "local":
      case "inner":
        if (name === "arguments") {
          this.#isOdd(node);
          for (let row = 0; row < this.#rowCount; row++) this.#use(row, undefined, node);
        }
        this.locals.push(named);
        return;
      case undefined:
        if (constants.has(name)) this.constants.push(named);
        else if (!plainConstants.has(name)) this.free.push(named);
    }
  }

  #visitMember(node: AnyNode & { type: "MemberExpression" }, place: Place): void {
    const { object, property, computed, optional } = node;
    // Arquero writes neither with brackets: `1.length`, `void(0).length`.
    if (optional || isNumber(object) || isUndefined(object)) this.#isOdd(node);
    const binding = object.type === "Identifier" ? place.scope.get(object.name) : undefined;
    const key = memberKey(node);
    if (computed && key === undefined) {
      // Arquero takes it for a key that is the same in all rows.
      if (binding?.kind === "row" || binding?.kind === "parameters") this.#isOdd(node);
      if (property.type !== "PrivateIdentifier") this.#visit(property, place);
    }
    if (binding?.kind === "row" && key !== undefined) {
      this.#use(binding.row, key, node);
      return;
    }
    if (binding?.kind === "parameters" && key !== undefined) {
      this.usesParameters = true;
      return;
    }
    if (binding?.kind === "parameter") this.#isOdd(node);
    if (object.type === "Identifier" && object.name === "Math" && !binding && key !== undefined) {
      if (computed || !constants.has(key)) this.#isOdd(node);
      return;
    }
    this.#visit(object as AnyNode, place);
  }

  #visitCall(node: CallExpression, place: Place): void {
    const { callee, optional } = node;
    const found = optional ? undefined : this.#opCall(callee, place);
    if (found) {
      const { name, isSure } = found;
      const isOfTable = this.#known.isOfTable(name);
      const isInner = isOfTable && this.#isOfInner(node, place);
      if (!isInner)
        this.calls.push({
          ...this.#span(node),
          name,
          callee: this.#span(callee),
          arguments: node.arguments.map((argument) => this.#span(argument)),
          isSure,
          isOfTable,
          isConditional: place.isConditional,
        });
    } else {
      this.#isOdd(node);
      this.#visit(callee, place);
    }
    const isOfVerb = !found && callee.type === "MemberExpression" && verbs.has(memberKey(callee) ?? "");
    this.#visitAll(node.arguments, isOfVerb ? { ...place, isOfVerb } : place);
  }

  /** Whether an aggregate is one of another table's rows, whose verb is called here. */
  #isOfInner(node: CallExpression, { scope, isOfVerb }: Place): boolean {
    const kinds = new Set<string>();
    const look = (child: AnyNode): void => {
      if (child.type === "Identifier") kinds.add(scope.get(child.name)?.kind ?? "free");
      for (const each of children(child)) look(each);
    };
    for (const argument of node.arguments) look(argument);
    return kinds.has("inner") || (isOfVerb && !kinds.has("row") && !kinds.has("column"));
  }

  /** Which of Arquero's functions a call may call, as Arquero finds it: by its last name. */
  #opCall(callee: AnyNode, place: Place): Pick<OpCall, "name" | "isSure"> | undefined {
    const { scope } = place;
    if (callee.type === "Identifier") {
      if (scope.has(callee.name) || !this.#known.has(callee.name)) return undefined;
      return { name: callee.name, isSure: this.#isText };
    }
    if (callee.type === "SequenceExpression") {
      // `(0, cells.mean)(d.x)`: how compilers call a name without an object.
      const [zero, last, ...more] = callee.expressions;
      if (zero?.type !== "Literal" || last?.type !== "MemberExpression" || more.length > 0) return undefined;
      const found = this.#opCall(last, place);
      if (found) this.#isOdd(callee);
      return found && { ...found, isSure: false };
    }
    const path = memberPath(callee);
    const [head, ...rest] = path ?? [];
    const last = rest.at(-1);
    if (head === undefined || last === undefined || scope.has(head)) return undefined;
    if (head === "Math") {
      const name = last === "max" ? "greatest" : last === "min" ? "least" : last;
      return rest.length === 1 && this.#known.has(name) ? { name, isSure: true } : undefined;
    }
    if ([head, ...rest].at(-2) === "op") {
      this.opNames.add(head);
      return { name: last, isSure: true };
    }
    if (standardNames.has(head) || !this.#known.has(last)) return undefined;
    return { name: last, isSure: false };
  }

  #compare(operator: string, side: AnyNode, other: AnyNode, { scope }: Place): void {
    // With `===` no mistake is possible.
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
