import { mentionedPreloads, needsNodeFor } from "../cell/preloaded-names.js";
import type { CodeSyntax } from "./analyze/analyze-code.js";
import { cellText, type EarlierCells } from "./check/earlier-cells.js";
import type { ServerProblem, TypeChecker } from "./check/type-checker.js";
import type { ReadCell } from "./compile-cell.js";

const noSuchModule = 2664;

/** Names that the language has without Node: of values, then of types. */
const languageNames: ReadonlySet<string> = new Set(
  `globalThis undefined NaN Infinity eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Error AggregateError EvalError RangeError
  ReferenceError SyntaxError TypeError URIError Number BigInt Math Date String RegExp Array Int8Array Uint8Array
  Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float32Array Float64Array
  Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics JSON Promise Proxy
  Reflect Intl
  Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType
  InstanceType Awaited Uppercase Lowercase Capitalize Uncapitalize NoInfer PromiseLike ReadonlyArray ReadonlyMap
  ReadonlySet PropertyKey PropertyDescriptor ArrayLike Iterable Iterator IterableIterator IteratorResult AsyncIterable
  AsyncIterator AsyncIterableIterator Generator AsyncGenerator TemplateStringsArray ThisType const
  display page clearOutput input comms html md svg aq Plot connect openSnapshot`.split(/\s+/),
);

/** The methods of `console` that are declared without Node's types. */
const plainConsole = /^console\s*\.\s*(log|error|warn|info|debug)\s*\(/;

/** What has become of a check. */
export interface Checked {
  /** What the compiler has seen. */
  readonly text: string;
  readonly problems: readonly ServerProblem[];
  /** Takes back what the check has left. */
  readonly forget?: () => void;
}

/** A cell that later cells know and that is not checked yet. */
interface KeptCell {
  check(): Promise<readonly ServerProblem[]>;
  retract(): void;
}

/** Has the compiler look for errors in cells, each in the light of those before it. */
export class CellChecks {
  readonly #checker: TypeChecker;
  readonly #earlier: EarlierCells;

  constructor(checker: TypeChecker, earlier: EarlierCells) {
    this.#checker = checker;
    this.#earlier = earlier;
  }

  async check(cell: ReadCell): Promise<Checked> {
    const { syntax, names, freeNames } = cell;
    this.#need(cell);
    const textOf = (shown: string) => cellText(shown, this.#earlier.declare(freeNames, names), names);
    let text = textOf(syntax.code);
    let problems = await this.#checker.problems(text);
    if (problems.length > 0 && !this.#checker.needs.node) {
      this.#checker.need({ node: true, preloads: [] });
      problems = await this.#checker.problems(text);
    }
    if (!problems.some((problem) => problem.code === noSuchModule)) return { text, problems };
    const { rest, declarations } = ambientModules(syntax);
    const forget = this.#earlier.addAmbient(declarations);
    text = textOf(rest);
    try {
      return { text, problems: await this.#checker.problems(text), forget };
    } catch (error) {
      forget();
      throw error;
    }
  }

  /**
   * Keeps a cell that is not checked yet, as one more file that the compiler reads together with others.
   *
   * @param together the names of these files, to which its own is added
   * @returns what looks for errors in it, also when more have been added, and what takes it back: see `EarlierCells.keep`
   */
  keep(name: string, cell: ReadCell, together: string[]): KeptCell {
    const { syntax, names, freeNames } = cell;
    this.#need(cell);
    const file = this.#earlier.write(name, cellText(syntax.code, this.#earlier.declare(freeNames, names), names));
    const retract = this.#earlier.keep(file, names);
    together.push(file);
    return { check: () => this.#checker.problemsIn(file, together), retract };
  }

  #need(cell: ReadCell): void {
    const { code } = cell.syntax;
    const preloads = mentionedPreloads(code);
    // What a cell makes of earlier ones' values may be of theirs.
    const isOfNode = needsNodeFor([...this.#checker.needs.preloads, ...preloads], code);
    this.#checker.need({ node: isOfNode || this.#needsNode(cell), preloads });
  }

  /** Node's types are read when a cell mentions something that they may declare. */
  #needsNode({ syntax, names }: ReadCell): boolean {
    const isOwn = (name: string) => names.values.has(name) || names.types.has(name) || names.ambient.has(name);
    const isKnown = (name: string) => this.#earlier.has(name) || isOwn(name);
    return (
      syntax.sites.some(({ kind }) => kind === "import" || kind === "importMeta") ||
      syntax.program.body.some(({ type }) => /^(Import|ExportAll|TSImport)/.test(type)) ||
      syntax.references.some(({ name, start }) => !isKnown(name) && isOfNode(name, syntax.code, start)) ||
      [...syntax.typeNames].some((name) => !isKnown(name) && isOfNode(name, syntax.code))
    );
  }
}

/** Whether a name that nobody declared can only be one of Node's. */
function isOfNode(name: string, code: string, start?: number): boolean {
  if (name === "console" && start !== undefined) return !plainConsole.test(code.slice(start, start + 30));
  return !languageNames.has(name);
}

/**
 * A cell's text without declarations of modules that there are not, as long as the cell so that all places stay, and
 * these: a file that is a module can only add to modules that there are, and others are declared in a file of their own.
 */
export function ambientModules({ code, program }: CodeSyntax): {
  readonly rest: string;
  readonly declarations: string;
} {
  let rest = code;
  const declarations: string[] = [];
  for (const statement of program.body) {
    if (statement.type !== "TSModuleDeclaration" || statement.id.type !== "Literal") continue;
    const { start, end } = statement;
    const text = code.slice(start, end);
    declarations.push(text);
    rest = rest.slice(0, start) + text.replace(/[^\n]/g, " ") + rest.slice(end);
  }
  return { rest, declarations: declarations.join("\n") };
}
