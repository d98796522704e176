import type { CompletionKind } from "../../cell/language-engine.js";
import { preloadedNames } from "../../cell/preloaded-names.js";
import type { CellNames } from "../analyze/cell-names.js";
import type { CompletionMatch } from "./completion-matches.js";
import { cellText, type EarlierCells, linesBefore } from "./earlier-cells.js";
import type { ServerToken, TypeChecker } from "./type-checker.js";

/** By what the language server says of a name. */
const kinds: Readonly<Record<string, CompletionKind>> = {
  namespace: "module",
  class: "class",
  enum: "enum",
  interface: "interface",
  typeParameter: "typeParameter",
  type: "class",
  function: "function",
  method: "method",
};

/** Before the name of a member, and not of what is spread. */
const isMember = /(?<!\.\.)\.\s*$/;

/** In the second of a name's lines it is a type. */
const beforeType = "0 as ";

/**
 * What names are by their declaration and type. Completion says "variable" of each name that is imported, as those of
 * earlier cells are, and of each global one, such as `Map`; only the server's tokens follow it to where it was made.
 */
export class NameKinds {
  readonly #checker: TypeChecker;
  readonly #earlier: EarlierCells;
  /** By names, with where they are from. */
  readonly #known = new Map<string, CompletionKind>();

  constructor(checker: TypeChecker, earlier: EarlierCells) {
    this.#checker = checker;
    this.#earlier = earlier;
  }

  /**
   * What each match is. Names of earlier cells and global ones that are new are asked for, all at once.
   *
   * @param before the code up to what is completed
   * @param own what the cell declares itself
   */
  async of(found: readonly CompletionMatch[], before: string, own?: CellNames): Promise<readonly CompletionKind[]> {
    if (isMember.test(before)) return found.map(({ kind }) => kind);
    const isOwn = (name: string) => own?.values.has(name) || own?.types.has(name);
    const isBeyond = ({ label, kind, isGlobal }: CompletionMatch) =>
      kind === "instance" && (isGlobal || (this.#earlier.has(label) && !isOwn(label)));
    const unknown = found.filter((match) => isBeyond(match) && this.#kindOf(match.label) === undefined);
    if (unknown.length > 0) await this.#learn(unknown.map(({ label }) => label));
    return found.map((match) => (isBeyond(match) ? this.#kindOf(match.label) : undefined) ?? match.kind);
  }

  /** Files that cells import may have become others. */
  forget(): void {
    this.#known.clear();
  }

  async #learn(names: readonly string[]): Promise<void> {
    const earlier = names.filter((name) => this.#earlier.has(name));
    const lines = names.flatMap((name) => [`${name};`, `${beforeType}${name};`]);
    const tokens = await this.#checker.tokens(cellText(lines.join("\n"), this.#earlier.declare(earlier)));
    const types = new Map(tokens.map(({ line, character, type }: ServerToken) => [`${line}:${character}`, type]));
    names.forEach((name, index) => {
      const line = linesBefore + 2 * index;
      const type = types.get(`${line}:0`) ?? types.get(`${line + 1}:${beforeType.length}`);
      // Of a default import that is a whole module there is no token.
      const silent = this.#earlier.has(name) ? "module" : "instance";
      this.#known.set(this.#key(name), type === undefined ? silent : (kinds[type] ?? "instance"));
    });
  }

  #kindOf(name: string): CompletionKind | undefined {
    return this.#declared(name) ?? this.#known.get(this.#key(name));
  }

  /** What needs no question. */
  #declared(name: string): CompletionKind | undefined {
    if (this.#earlier.isModule(name)) return "module";
    const isPreloaded = !this.#earlier.has(name) && Object.hasOwn(preloadedNames, name);
    return isPreloaded ? preloadedNames[name]?.kind : undefined;
  }

  #key(name: string): string {
    return `${name} ${this.#earlier.origin(name)}`;
  }
}
