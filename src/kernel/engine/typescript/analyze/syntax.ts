import { extname } from "node:path";
import {
  type IdentifierReference,
  type ImportDeclaration,
  type ImportDeclarationSpecifier,
  type ModuleExportName,
  type Node,
  type OxcError,
  type ParseResult,
  parseSync,
  visitorKeys,
} from "oxc-parser";
import { binarySearch } from "../../../../core/binary-search.js";
import { type DepthProblem, depthProblem } from "../../../../core/code-depth.js";
import { codeTokens } from "../../../../core/code-tokens.js";
import type { Completeness } from "../../cell/language-engine.js";

/** The languages that cells and files are written in. */
export type Language = "ts" | "tsx";

const asModule = { sourceType: "module", astType: "ts" } as const;

/** Why code cannot be parsed, and where. */
export type SyntaxProblem = Pick<OxcError, "message" | "labels">;

/** The result of parsing a file. */
interface ParsedModule extends Pick<ParseResult, "program" | "module"> {
  readonly errors: readonly SyntaxProblem[];
}

/**
 * Parses a file as an ES module, whatever its extension. Code nested too deeply, which would crash the parser, becomes
 * an empty module with an error.
 */
export function parseModule(fileName: string, code: string): ParsedModule {
  const problem = codeDepthProblem(code, languageOf(fileName));
  if (!problem) return parse(fileName, code);
  const { message, offset } = problem;
  return emptyModule(fileName, [{ message, labels: [{ message: null, start: offset, end: offset + 1 }] }]);
}

/** The result for code that is not passed to the parser. */
function emptyModule(fileName: string, errors: readonly SyntaxProblem[]): ParsedModule {
  const { program, module } = parseGenerated(fileName, "");
  return { program, module, errors };
}

/** Returns a part of the code. */
export function parseGenerated(fileName: string, code: string): ParsedModule {
  return parseSync(fileName, code, asModule);
}

let lastChecked: { readonly code: string; readonly language: Language; readonly problem: DepthProblem | undefined };

/** See `depthProblem`. Cached, since a cell is parsed several times in a row. */
export function codeDepthProblem(code: string, language: Language): DepthProblem | undefined {
  if (lastChecked?.code !== code || lastChecked.language !== language) {
    lastChecked = { code, language, problem: depthProblem(code, { jsx: language === "tsx" }) };
  }
  return lastChecked.problem;
}

function languageOf(fileName: string): Language {
  return /^\.[jt]sx$/.test(extname(fileName)) ? "tsx" : "ts";
}

/** Whether a file is an ES module without syntax errors or duplicate names. Always false for long code. */
export function isReadable(fileName: string, code: string): boolean {
  if (mayHoldMuch(code) || codeDepthProblem(code, languageOf(fileName))) return false;
  return parseSync(fileName, code, { ...asModule, showSemanticErrors: true }).errors.length === 0;
}

/** Maximum number of characters in the lines of errors, if each character were an error. */
const MAX_HELD = 50_000_000;
/** Maximum number of errors for code whose errors could exceed it. Code with more errors is read as an empty module. */
const MAX_ERRORS = 20;
/** Number of characters in which errors are counted first. */
const FIRST_PART = 50_000;

/**
 * Parses code. The parser copies the line of an error into the error, so 10,000 errors in a line of 1 MB would take 10
 * GB. If code could have so many errors, they are counted first, with long lines broken into short ones.
 */
function parse(fileName: string, code: string): ParsedModule {
  if (!mayHoldMuch(code)) return parseGenerated(fileName, code);
  const { text, offsetIn } = withShortLines(code);
  let errors: readonly SyntaxProblem[] = [];
  // For each error the parser reads all lines before it, so a small part of the code is parsed first.
  for (let end = FIRST_PART; errors.length <= MAX_ERRORS && end < 2 * text.length; end *= 2) {
    errors = parseGenerated(fileName, text.slice(0, end)).errors;
  }
  if (errors.length <= MAX_ERRORS) return parseGenerated(fileName, code);
  const listed = errors.slice(0, MAX_ERRORS).map(({ message, labels }) => ({
    message,
    labels: labels.map((label) => ({ ...label, start: offsetIn(label.start), end: offsetIn(label.end) })),
  }));
  return emptyModule(fileName, listed);
}

/** Whether the errors of code could take too much memory: see `parse`. */
export function mayHoldMuch(code: string): boolean {
  return code.length * longestLine(code) > MAX_HELD;
}

/** The length of the longest line. The parser's lines end with `\n` only. */
function longestLine(code: string): number {
  let longest = 0;
  for (let start = 0; start < code.length; ) {
    const newline = code.indexOf("\n", start);
    const end = newline < 0 ? code.length : newline;
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  return longest;
}

const SHORT_LINE = 1000;
const breakable: ReadonlySet<string> = new Set([",", ";", "(", "[", "{"]);
const spaces: ReadonlySet<string> = new Set(["WhiteSpace", "MultiLineComment"]);

/**
 * Breaks lines after `,`, `;` and opening brackets, which keeps the meaning of the code. A line longer than
 * `SHORT_LINE` is also broken at spaces and comments, which may change its meaning but hardly the number of its errors.
 *
 * @returns the text, and a function from an offset in the text to the offset in `code`
 */
function withShortLines(code: string): { readonly text: string; readonly offsetIn: (offset: number) => number } {
  const parts: string[] = [];
  const breaks: number[] = [];
  let length = 0;
  let lineStart = 0;
  for (const { type, value } of codeTokens(code)) {
    parts.push(value);
    length += value.length;
    if (breakable.has(value) || (spaces.has(type) && length - lineStart > SHORT_LINE)) {
      parts.push("\n");
      breaks.push(length);
      length += 1;
      lineStart = length;
    } else if (value.endsWith("\n")) lineStart = length;
  }
  return {
    text: parts.join(""),
    offsetIn: (offset) => offset - binarySearch(breaks.length, (index) => (breaks[index] as number) < offset),
  };
}

/** The children of a node, in the order of the code. */
export function childNodes(node: Node): readonly Node[] {
  return (visitorKeys[node.type] as readonly string[]).flatMap((key) => {
    const value: unknown = Reflect.get(node, key);
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
  });
}

/**
 * A node and its descendants, in the order of the code. Iterative, since a chain may have more parts than calls can be
 * nested.
 */
export function* descendants(node: Node): Generator<Node> {
  const left = [node];
  for (let next = left.pop(); next; next = left.pop()) {
    yield next;
    left.push(...[...childNodes(next)].reverse());
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** A declaration without the `export` around it. */
export function declarationOf(statement: Node): Node {
  return (statement.type === "ExportNamedDeclaration" && statement.declaration) || statement;
}

const typesOnly: ReadonlySet<Node["type"]> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "EmptyStatement",
]);

/** Whether a statement still contains code after its types are removed. */
export function hasValue(statement: Node): boolean {
  if (typesOnly.has(statement.type)) return false;
  if ("declare" in statement && statement.declare) return false;
  if (statement.type === "ExportNamedDeclaration") {
    return statement.declaration ? hasValue(statement.declaration) : statement.exportKind !== "type";
  }
  if (statement.type === "TSImportEqualsDeclaration") return statement.importKind !== "type";
  if (statement.type !== "TSModuleDeclaration") return true;
  return statement.kind !== "global" && (statement.body?.body.some(hasValue) ?? false);
}

/** The value imports of an import declaration. */
export function importedValues({ importKind, specifiers }: ImportDeclaration): readonly ImportDeclarationSpecifier[] {
  if (importKind === "type") return [];
  return specifiers.filter((each) => each.type !== "ImportSpecifier" || each.importKind !== "type");
}

/** Kinds of TypeScript-only nodes that contain running code. */
const runningTypeScript: ReadonlySet<Node["type"]> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSEnumDeclaration",
  "TSModuleDeclaration",
  "TSExportAssignment",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSAbstractAccessorProperty",
]);

/** Whether a node has no code after its types are removed. */
export function isType(node: Node): boolean {
  const { type } = node;
  if (type === "TSImportEqualsDeclaration") return node.importKind === "type";
  return type.startsWith("TS") && !runningTypeScript.has(type);
}

/**
 * The names that a namespace declares in its scope: the `A` of `namespace A.B {}`. A module, and `global`, declare
 * none.
 */
export function moduleName({ id, kind }: Node & { readonly type: "TSModuleDeclaration" }): readonly string[] {
  if (kind === "global") return [];
  let first: { readonly type: string } = id;
  while ("left" in first) first = first.left as { readonly type: string };
  return "name" in first && typeof first.name === "string" ? [first.name] : [];
}

/** The names that a pattern binds, such as `a` and `b` of `{ x: a, ...b }`. */
export function patternNames(pattern: Node | null): readonly string[] {
  return patternIdentifiers(pattern).map(({ name }) => name);
}

/** Positions of the names that a pattern binds or an assignment sets, except the objects whose members it sets. */
export function patternIdentifiers(pattern: Node | null): readonly Pick<IdentifierReference, "name" | "start">[] {
  const target = pattern && unwrapped(pattern);
  switch (target?.type) {
    case "Identifier":
      return [target];
    case "ObjectPattern":
      return target.properties.flatMap((each) => patternIdentifiers(each.type === "Property" ? each.value : each));
    case "ArrayPattern":
      return target.elements.flatMap(patternIdentifiers);
    case "AssignmentPattern":
      return patternIdentifiers(target.left);
    case "RestElement":
      return patternIdentifiers(target.argument);
    case "TSParameterProperty":
      return patternIdentifiers(target.parameter);
    default:
      return [];
  }
}

/** An expression without brackets and type assertions around it. */
export function unwrapped(node: Node): Node {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case "ParenthesizedExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSNonNullExpression":
      case "TSTypeAssertion":
      case "TSInstantiationExpression":
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

/** A name in a list of imports or exports, which may be any string. */
export function exportName(name: ModuleExportName): string {
  return "name" in name ? name.name : name.value;
}

/** Whether code is ready to run, needs more lines, or cannot become valid by adding lines. */
export function codeCompleteness(code: string, language: Language): Completeness {
  if (codeDepthProblem(code, language)) return { status: "invalid" };
  const [first] = parseModule(`cell.${language}`, code).errors;
  if (!first) return { status: "complete" };
  return isOpen(first, code) ? { status: "incomplete", indent: nextIndent(code) } : { status: "invalid" };
}

/** Only spaces and comments. */
const blank = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*$/;

/** A last line that continues on the next one: its end is escaped. */
const escapedEnd = /(?<!\\)(?:\\\\)*\\(?:\r?\n)?$/;

/** An error at the end of the code, or in an unterminated construct that a later line may close. */
function isOpen({ labels: [label], message }: SyntaxProblem, code: string): boolean {
  if (!label || label.start >= code.trimEnd().length) return true;
  if (message.startsWith("Identifier expected after '?.'")) return blank.test(code.slice(label.end));
  if (/["']/.test(code[label.start] as string)) return escapedEnd.test(code);
  return /^Unterminated (multiline comment|template)/.test(message) || code[label.start] === "`";
}

/** The indentation of the last line, increased after an open bracket. */
function nextIndent(code: string): string {
  const line = code.trimEnd().split("\n").at(-1) as string;
  const indent = (/^\s*/.exec(line) as RegExpExecArray)[0];
  return /[([{]$/.test(line) ? `${indent}  ` : indent;
}
