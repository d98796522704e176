import { mentionsPreload } from "../cell/preloaded-names.js";
import { cellText, type EarlierCells } from "./check/earlier-cells.js";
import type { ServerProblem, TypeChecker } from "./check/type-checker.js";
import { isOfNode } from "./check/types-folder.js";
import type { CellReading } from "./compile-cell.js";
import type { Tools } from "./load-tools.js";

const noSuchModule = 2664;

/** A cell to check, without `export` before what it declares. */
export interface ReadCell extends CellReading {
  readonly code: string;
  /** The names that it may have from elsewhere. */
  readonly open: readonly string[];
}

/** What has become of a check. */
export interface Checked {
  /** What the compiler has seen. */
  readonly text: string;
  readonly problems: readonly ServerProblem[];
  /** Takes back what the check has left. */
  readonly forget?: () => void;
}

/** Has the compiler look for errors in cells, each in the light of those before it. */
export class CellChecks {
  readonly #checker: TypeChecker;
  readonly #earlier: EarlierCells;

  constructor(checker: TypeChecker, earlier: EarlierCells) {
    this.#checker = checker;
    this.#earlier = earlier;
  }

  async check(cell: ReadCell, tools: Tools): Promise<Checked> {
    const { code, syntax, names, open } = cell;
    this.#need(cell);
    const textOf = (shown: string) => cellText(shown, this.#earlier.declare(open, names), names);
    let text = textOf(code);
    let problems = await this.#checker.problems(text);
    if (problems.length > 0 && !this.#checker.needs.node) {
      this.#checker.need({ node: true, packages: false });
      problems = await this.#checker.problems(text);
    }
    if (!problems.some((problem) => problem.code === noSuchModule)) return { text, problems };
    const { rest, declarations } = tools.ambientModules(code, syntax);
    const forget = this.#earlier.addAmbient(declarations);
    text = textOf(rest);
    return { text, problems: await this.#checker.problems(text), forget };
  }

  /**
   * Keeps a cell that is not checked yet, as one more file that the compiler reads together with others.
   *
   * @param together the names of these files, to which its own is added
   * @returns what looks for errors in it, also when more have been added
   */
  keep(name: string, cell: ReadCell, together: string[]): () => Promise<readonly ServerProblem[]> {
    const { code, names, open } = cell;
    this.#need(cell);
    const file = this.#earlier.write(name, cellText(code, this.#earlier.declare(open, names), names));
    this.#earlier.keep(file, names);
    together.push(file);
    return () => this.#checker.problemsIn(file, together);
  }

  #need(cell: ReadCell): void {
    this.#checker.need({ node: this.#needsNode(cell), packages: mentionsPreload(cell.code) });
  }

  /** Node's types are read when a cell mentions something that they may declare. */
  #needsNode({ code, syntax, names }: ReadCell): boolean {
    const isOwn = (name: string) => names.values.has(name) || names.types.has(name) || names.ambient.has(name);
    const isKnown = (name: string) => this.#earlier.has(name) || isOwn(name);
    return (
      syntax.sites.some(({ kind }) => kind === "import" || kind === "importMeta") ||
      syntax.program.body.some(({ type }) => /^(Import|ExportAll|TSImport)/.test(type)) ||
      syntax.references.some(({ name, start }) => !isKnown(name) && isOfNode(name, code, start)) ||
      [...syntax.typeNames].some((name) => !isKnown(name) && isOfNode(name, code))
    );
  }
}
