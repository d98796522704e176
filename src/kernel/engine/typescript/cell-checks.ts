import { mentionedPreloads, needsNodeFor } from "../cell/preloaded-names.js";
import type { CodeSyntax } from "./analyze/analyze-code.js";
import { cellText, type EarlierCells } from "./check/earlier-cells.js";
import type { ServerProblem, TypeChecker } from "./check/type-checker.js";
import type { ReadCell } from "./compile-cell.js";

const noSuchModule = 2664;

/** Global names without Node: values, then types. */
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

/** The result of a check. */
export interface Checked {
  /** The code as the compiler sees it. */
  readonly text: string;
  readonly problems: readonly ServerProblem[];
  /** Reverts the check. */
  readonly forget?: () => void;
}

/** A cell that later cells can use and that is not checked yet. */
interface KeptCell {
  check(): Promise<readonly ServerProblem[]>;
  retract(): void;
}

/** Makes the compiler check cells, each with the names of the cells before it. */
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
    const textOf = (code: string) => cellText(code, this.#earlier.declare(freeNames, names), names);
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
   * Adds an unchecked cell as another file that the compiler reads together with others.
   *
   * @param together the names of these files, to which its own is added
   * @returns a function that returns its errors, also after more files are added, and a function that reverts it: see
   * `EarlierCells.keep`
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
    // Values that a cell derives from earlier cells may have their types.
    const isOfNode = needsNodeFor([...this.#checker.needs.preloads, ...preloads], code);
    this.#checker.need({ node: isOfNode || this.#needsNode(cell), preloads });
  }

  /** Node's types are read when a cell uses a name that they may declare. */
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

/** Whether an undeclared name can only be a name of Node. */
function isOfNode(name: string, code: string, start?: number): boolean {
  if (name === "console" && start !== undefined) return !plainConsole.test(code.slice(start, start + 30));
  return !languageNames.has(name);
}

/**
 * Splits a cell into its text without declarations of missing modules, with the same length so that all positions stay,
 * and these declarations: a file that is a module can only augment existing modules, so missing ones are declared in a
 * separate file.
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
