import { isBuiltin } from "node:module";
import type { CompletionKind } from "../../cell/language-engine.js";
import { preloadedNames } from "../../cell/preloaded-names.js";
import type { CellNames } from "../analyze/cell-names.js";
import { cellText, type EarlierCells, linesBefore, ownFiles } from "./earlier-cells.js";
import type { TypeChecker } from "./type-checker.js";

interface Item {
  readonly label: string;
  readonly kind?: number;
  readonly sortText?: string;
  readonly insertText?: string;
  /** What would be replaced, from where on; a specifier is replaced as a whole. */
  readonly textEdit?: { readonly newText: string; readonly range?: { readonly start: { readonly character: number } } };
}

/** Something that goes on from what was typed. */
export interface CompletionMatch {
  readonly label: string;
  readonly text: string;
  readonly kind: CompletionKind;
  /** Whether it is known everywhere, and not declared or imported by the cell. */
  readonly isGlobal: boolean;
}

/** By the protocol's numbers. */
const itemKinds: Readonly<Record<number, CompletionKind>> = {
  2: "method",
  3: "function",
  4: "method",
  5: "property",
  6: "instance",
  7: "class",
  8: "interface",
  9: "module",
  10: "property",
  13: "enum",
  14: "keyword",
  17: "path",
  19: "path",
  20: "enumMember",
  // The compiler's word for texts that a type allows.
  21: "text",
  25: "typeParameter",
};

/** How the compiler sorts what is known everywhere. */
const globalSort = "15";

/**
 * Of what the language server offers, what goes on from what was typed, the likeliest first, each text once.
 *
 * @param before the line up to the cursor, with what was typed
 */
export function completionMatches(offered: unknown, typed: string, before: string): readonly CompletionMatch[] {
  const { items = [] } = (offered ?? {}) as { readonly items?: readonly Item[] };
  const start = typed.toLowerCase();
  const rests = items.flatMap((item) => {
    const rest = restOf(item, typed, before);
    const fits = rest?.toLowerCase().startsWith(start) && !item.label.startsWith(ownFiles);
    return rest !== undefined && fits ? [{ ...item, rest }] : [];
  });
  const key = ({ label, sortText = "" }: Item) => `${sortText}\n${label}`;
  const specifier = /["'`](node:[^"'`]*)$/.exec(before)?.[1];
  const head = specifier?.slice(0, specifier.length - typed.length);
  const matches = new Map<string, CompletionMatch>();
  for (const item of rests.sort((a, b) => (key(a) < key(b) ? -1 : 1))) {
    const { label, rest, kind = 0, sortText, insertText = rest } = item;
    const text = rest === label ? insertText : rest;
    const isOther = text === "tsconfig.json" || (head !== undefined && !isBuiltin(head + text));
    if (isOther || matches.has(text)) continue;
    matches.set(text, { label, text, kind: itemKinds[kind] ?? "<unknown>", isGlobal: sortText === globalSort });
  }
  return [...matches.values()];
}

/** What stands for what was typed: of `node:fs`, when `node:f` is there and `f` was typed, it is `fs`. */
function restOf({ label, textEdit }: Item, typed: string, before: string): string | undefined {
  const from = textEdit?.newText === label ? textEdit.range?.start.character : undefined;
  if (from === undefined || from >= before.length - typed.length) return label;
  const written = before.slice(from, before.length - typed.length);
  return label.startsWith(written) ? label.slice(written.length) : undefined;
}

/** By what the language server says of a name. */
const tokenKinds: Readonly<Record<string, CompletionKind>> = {
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
    const types = new Map(tokens.map(({ line, character, type }) => [`${line}:${character}`, type]));
    names.forEach((name, index) => {
      const line = linesBefore + 2 * index;
      const type = types.get(`${line}:0`) ?? types.get(`${line + 1}:${beforeType.length}`);
      // Of a default import that is a whole module there is no token.
      const silent = this.#earlier.has(name) ? "module" : "instance";
      this.#known.set(this.#key(name), type === undefined ? silent : (tokenKinds[type] ?? "instance"));
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
