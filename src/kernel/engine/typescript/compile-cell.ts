import MagicString from "magic-string";
import type { Node, Span } from "oxc-parser";
import type { CompiledCell } from "../cell/language-engine.js";
import { loadedFor, type Preload, preloadedNames } from "../cell/preloaded-names.js";
import { holdName, isOfScripts, namesName, scriptParameters, shareName } from "../cell/wrap-script.js";
import { analyzeCode, type CodeSyntax } from "./analyze/analyze-code.js";
import { type CellNames, cellNames } from "./analyze/cell-names.js";
import type { Reference } from "./analyze/scope.js";
import {
  childNodes,
  declarationOf,
  descendants,
  hasValue,
  isType,
  type Language,
  patternIdentifiers,
  patternNames,
  unwrapped,
} from "./analyze/syntax.js";
import { type EmitOptions, jsxNames, toScript } from "./emit/lower.js";
import { hoist, importCode, loadCode, rewriteReferences, rewriteSites } from "./emit/rewrite.js";

/** Code that runs repeatedly at the top level of a cell, outside of functions and classes. */
interface LoopCode {
  /** The outermost loops, in the order of the code. */
  readonly loops: readonly Span[];
  /** Positions of names that loops assign to, except counters: small whole numbers need no box. */
  readonly assigned: ReadonlySet<number>;
  /** Positions of names that are assigned a function or class, which may take its name from them. */
  readonly naming: ReadonlySet<number>;
  /** `var` names in blocks and loops. */
  readonly innerVariables: ReadonlySet<string>;
}

const apart = /Function|^Class(Declaration|Expression)$|^ArrowFunction/;

const separators = /[\u2028\u2029]/g;

/** The name of the value of a script's last expression. */
const resultName = "__siteframe_result";

/** The names that a cell's loops read and write in fields. */
interface FieldPlan {
  /** Whether variables can move into fields: not if the code may access them in ways that analysis misses. */
  readonly canMove: boolean;
  /** The replacement for a reference, if any. */
  target(reference: Reference): string | undefined;
  /** Writes the code that creates the fields, before the first loop that needs them. */
  write(text: MagicString): void;
}

/** A parsed cell. */
export interface CellReading {
  readonly syntax: CodeSyntax;
  readonly names: CellNames;
}

/** A cell to check. */
export interface ReadCell extends CellReading {
  /** The names that it may use from elsewhere. */
  readonly freeNames: readonly string[];
}

/** Why a cell cannot be parsed, and where, counted from its start. */
export interface ReadingProblem {
  readonly message: string;
  readonly offset: number;
}

/** Parses a cell, or returns why it cannot be parsed. For `isFound` see `analyzeCode`. */
export function readCell(
  code: string,
  language: Language,
  isFound: (specifier: string) => boolean,
): CellReading | ReadingProblem {
  const syntax = analyzeCode(code, language, isFound);
  if ("program" in syntax) {
    const names = cellNames(syntax);
    const ofScripts = [...names.values.keys()].find(isOfScripts);
    if (ofScripts === undefined) return { syntax, names };
    return { message: `Reserved name: ${ofScripts}. Use another name.`, offset: code.indexOf(ofScripts) };
  }
  const [first] = syntax;
  return { message: first?.message ?? "The cell cannot be parsed.", offset: first?.labels[0]?.start ?? 0 };
}

/** A cell with the names that it may use from elsewhere. */
export function withFreeNames(reading: CellReading, options: EmitOptions): ReadCell {
  const { references, typeNames } = reading.syntax;
  const implied = impliedNames(reading.syntax, options);
  return { ...reading, freeNames: [...new Set([...references.map(({ name }) => name), ...typeNames, ...implied])] };
}

/** Analyzes the statements of a cell. */
function loopCode(statements: readonly Node[]): LoopCode {
  const loops: Span[] = [];
  const sites = { loops, assigned: new Set<number>(), naming: new Set<number>(), innerVariables: new Set<string>() };
  const top = new Set(statements.map(declarationOf));
  // Iterative, since a sum may have more operands than calls can be nested.
  const left: { readonly node: Node; readonly isLooped: boolean }[] = [];
  const add = (nodes: readonly Node[], isLooped: boolean) => {
    for (const node of [...nodes].reverse()) if (!isType(node) && !apart.test(node.type)) left.push({ node, isLooped });
  };
  add(statements, false);
  for (let next = left.pop(); next; next = left.pop()) {
    const { node } = next;
    const isLooped = next.isLooped || isLoop(node);
    if (isLooped && !next.isLooped) loops.push({ start: node.start, end: node.end });
    if (isLooped) for (const start of targetsOf(node)) sites.assigned.add(start);
    for (const start of namingTargets(node)) sites.naming.add(start);
    if (node.type === "VariableDeclaration" && node.kind === "var" && !top.has(node)) {
      for (const { id } of node.declarations) for (const name of patternNames(id)) sites.innerVariables.add(name);
    }
    add(childNodes(node), isLooped);
  }
  return sites;
}

function isLoop({ type }: Node): boolean {
  return /^(For(In|Of)?|While|DoWhile)Statement$/.test(type);
}

/** Positions of the names that a node assigns to, except for `n++`. */
function targetsOf(node: Node): readonly number[] {
  switch (node.type) {
    case "AssignmentExpression":
      return isCounting(node) ? [] : startsOf(node.left);
    case "ForInStatement":
    case "ForOfStatement":
      return startsOf(node.left);
    default:
      return [];
  }
}

/** `n += 1`. */
function isCounting({ operator, right }: Node & { readonly type: "AssignmentExpression" }): boolean {
  return /^[+-]=$/.test(operator) && right.type === "Literal" && Number.isInteger(right.value);
}

function namingTargets(node: Node): readonly number[] {
  if (node.type !== "AssignmentExpression" && node.type !== "AssignmentPattern") return [];
  return apart.test(unwrapped(node.right).type) ? startsOf(node.left) : [];
}

function startsOf(target: Node): readonly number[] {
  return patternIdentifiers(target).map(({ start }) => start);
}

/**
 * Writes Unicode's line separators in strings as escapes, and others as line ends: Node treats them as line ends,
 * editors do not. A script without them has the same lines for both.
 */
function escapeSeparators(text: MagicString, statements: readonly Node[]): void {
  const matches = [...text.original.matchAll(separators)];
  if (matches.length === 0) return;
  const literals = statements.flatMap(literalsIn);
  for (const { 0: separator, index } of matches) {
    const literal = literals.find(({ start, end }) => start <= index && index < end);
    if (literal?.type === "JSXText") continue;
    text.update(index, index + 1, literal ? `\\u${separator.charCodeAt(0).toString(16)}` : "\n");
  }
}

function literalsIn(node: Node): readonly Node[] {
  return [...descendants(node)].filter(({ type }) => /^(Literal|TemplateElement|JSXText)$/.test(type));
}

/**
 * Makes a cell the body of a function that shares its names with other cells. The names are properties of one object,
 * which read and write the cell's own variables, so that its statements stay fast. Its functions, which may run after a
 * later cell has declared a name again, read names from the object. For loops see `planFields`.
 *
 * @param result the expression with the cell's value
 * @param isEarlier whether a name is one of an earlier cell with a value
 * @param implied names that are used without appearing in the code
 */
function rewriteCell(
  { syntax, names }: CellReading,
  result: Span | undefined,
  isEarlier: (name: string) => boolean,
  implied: readonly string[],
): MagicString {
  const { values } = names;
  const text = new MagicString(syntax.code);
  const preloads = new Set<string>();
  const plan = planFields(syntax, names, isEarlier, implied);
  const target = (reference: Reference) => {
    const { name, isNested } = reference;
    const inField = plan.target(reference);
    if (inField !== undefined) return inField;
    if (values.has(name) ? isNested : isEarlier(name)) return `${namesName}.${name}`;
    if (!values.has(name) && Object.hasOwn(preloadedNames, name)) preloads.add(name);
    return undefined;
  };
  escapeSeparators(text, syntax.program.body);
  rewriteReferences(text, syntax.references, target, result?.start);
  rewriteSites(text, syntax.sites);
  if (result) text.prependRight(result.start, `${namesName}.${resultName} = (`).appendLeft(result.end, ")");
  const isValue = (name: string) => values.has(name) || isEarlier(name);
  for (const statement of syntax.program.body) rewriteModuleStatement(text, statement, syntax.program.body, isValue);
  plan.write(text);
  const taken = implied.filter((name) => !values.has(name) && isEarlier(name));
  const head = [...taken.map((name) => `const ${name} = ${namesName}.${name}; `), ...[...preloads].map(preloadCode)];
  return text.prepend(shareNames(values, plan.canMove) + head.join(""));
}

/** Imports come first, wherever they are in the cell. Exports are implied by every declaration of a cell. */
function rewriteModuleStatement(
  text: MagicString,
  statement: Node,
  all: readonly Node[],
  isValue: (name: string) => boolean,
): void {
  const { start, end } = statement;
  switch (statement.type) {
    case "VariableDeclaration":
      if (statement.kind === "var") clearParameters(text, statement);
      return;
    case "ImportDeclaration":
      text.update(start, end, importCode(statement) || ";");
      hoist(text, all, statement);
      return;
    case "TSImportEqualsDeclaration":
      rewriteImportEquals(text, statement, isValue);
      return;
    case "ExportAllDeclaration":
      text.update(start, end, statement.exportKind === "type" ? ";" : `${loadCode(statement.source.value)};`);
      return;
    case "ExportNamedDeclaration":
      if (!statement.declaration) {
        text.update(start, end, statement.source ? `${loadCode(statement.source.value)};` : ";");
        return;
      }
      text.remove(start, statement.declaration.start);
      rewriteModuleStatement(text, statement.declaration, all, isValue);
      return;
    case "ExportDefaultDeclaration":
      if (
        "id" in statement.declaration &&
        statement.declaration.id &&
        /Declaration$/.test(statement.declaration.type)
      ) {
        text.remove(start, statement.declaration.start);
      } else {
        text.update(start, statement.declaration.start, ";(").appendLeft(statement.declaration.end, ");");
      }
      return;
    case "TSExportAssignment":
      text.update(start, statement.expression.start, ";(").appendLeft(statement.expression.end, ");");
  }
}

/** A variable without a value would keep that of the script's parameter with its name, such as `require`. */
function clearParameters(text: MagicString, { declarations }: Node & { readonly type: "VariableDeclaration" }): void {
  for (const { id, init, end } of declarations) {
    if (!init && id.type === "Identifier" && scriptParameters.includes(id.name)) text.appendLeft(end, " = undefined");
  }
}

function rewriteImportEquals(
  text: MagicString,
  { start, end, importKind, moduleReference }: Node & { readonly type: "TSImportEqualsDeclaration" },
  isValue: (name: string) => boolean,
): void {
  if (importKind === "type") {
    text.update(start, end, ";");
    return;
  }
  text.update(start, start + "import".length, "const");
  if (moduleReference.type !== "TSExternalModuleReference") {
    const name = (/^[^\s./]+/.exec(text.original.slice(moduleReference.start)) as RegExpExecArray)[0];
    // A types-only namespace does not exist when the cell runs.
    if (!isValue(name)) text.appendRight(moduleReference.start, `typeof ${name} === "undefined" ? undefined : `);
    return;
  }
  text.update(
    moduleReference.start,
    moduleReference.end,
    `require(${JSON.stringify(moduleReference.expression.value)})`,
  );
}

/**
 * Lets all cells read the names of this one, and write its variables. Also describes how to access a variable after it
 * has moved into a field, if it can move.
 */
function shareNames(values: ReadonlyMap<string, boolean>, canMove: boolean): string {
  const calls = [...values].map(([name, isVariable]) => {
    const value = name === "_" ? "$" : "_";
    const set = isVariable ? `, (${value}) => { ${name} = ${value}; }` : "";
    const over = isVariable && canMove ? `, ($) => [() => $.${name}, (_) => { $.${name} = _; }]` : "";
    return `${shareName}(${JSON.stringify(name)}, () => ${name}${set}${over}); `;
  });
  return calls.join("");
}

function preloadCode(name: string): string {
  const preload = preloadedNames[name] as Preload;
  const pattern = preload.export === undefined ? name : `{ ${preload.export}: ${name} }`;
  return `const ${pattern} = ${loadCode(loadedFor(preload))}; `;
}

/**
 * Plans which names the top-level loops of a cell read from fields of objects: names of earlier cells, and the cell's
 * own variables that a loop assigns to. V8 writes a number into such a field in place, but allocates a box for each
 * number written to a variable that functions see. From then on the cell's variable is only in its field.
 *
 * @param implied names that are used without appearing in the code
 */
function planFields(
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
  /** Position after which names are in fields. */
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

/** The end of the only statement that declares a variable; `Infinity` if there are several. */
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

/** The span that contains a position, among spans in the order of the code. */
function spanAt(spans: readonly Span[], offset: number): Span | undefined {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).end <= offset) low = middle + 1;
    else high = middle;
  }
  const span = spans[low];
  return span && span.start <= offset ? span : undefined;
}

/** Names that a cell uses without writing them. */
function impliedNames({ hasJsx }: CodeSyntax, options: EmitOptions): readonly string[] {
  return hasJsx ? [...new Set(jsxNames(options))] : [];
}

/** Inputs of compiling a cell. */
export interface CellEmission {
  readonly name: string;
  readonly options: EmitOptions;
  /** Whether a name is one of an earlier cell, with a value. */
  isEarlier(name: string): boolean;
}

/** Compiles a parsed cell. */
export function emitCell(cell: CellReading, { name, options, isEarlier }: CellEmission): CompiledCell {
  const { syntax, names } = cell;
  const result = lastValue(syntax.program.body);
  const rewritten = rewriteCell(cell, result, isEarlier, impliedNames(syntax, options));
  return {
    name,
    code: syntax.code,
    ...toScript(rewritten, syntax, options),
    linesBefore: 0,
    names: [...names.values.keys()],
    resultName: result && resultName,
  };
}

/**
 * The expression with the value of the code, if it has one: its last statement, or in a block the last statement of the
 * block. Types, functions and imports, which exist before the code runs, do not count as the last statement.
 */
function lastValue(statements: readonly Node[]): Span | undefined {
  const last = statements.findLast((statement) => !isHoisted(statement));
  switch (last?.type) {
    case "ExpressionStatement":
      return last.expression;
    case "BlockStatement":
      return lastValue(last.body);
    case "LabeledStatement":
      return lastValue([last.body]);
    case "ExportDefaultDeclaration":
      return last.declaration.type === "ClassDeclaration" ? undefined : last.declaration;
    default:
      return undefined;
  }
}

function isHoisted(statement: Node): boolean {
  if (!hasValue(statement) || /^(Import|ExportAll)/.test(statement.type)) return true;
  if (statement.type === "ExportDefaultDeclaration") return isHoisted(statement.declaration);
  if (statement.type === "ExportNamedDeclaration") return !statement.declaration || isHoisted(statement.declaration);
  return statement.type === "FunctionDeclaration";
}
