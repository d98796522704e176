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
  /** The range to replace; a specifier is replaced as a whole. */
  readonly textEdit?: { readonly newText: string; readonly range?: { readonly start: { readonly character: number } } };
}

/** A completion of the typed text. */
export interface CompletionMatch {
  readonly label: string;
  readonly text: string;
  readonly kind: CompletionKind;
  /** Whether it is global, rather than declared or imported by the cell. */
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
  // The compiler's kind of string literals that a type allows.
  21: "text",
  25: "typeParameter",
};

/** The compiler's sort key of global names. */
const globalSort = "15";

/**
 * The language server's completions that continue the typed text, likeliest first, each once.
 *
 * @param before the line up to the cursor, including the typed text
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

/**
 * The part of a completion that replaces the typed text: `fs` of `node:fs`, if `node:f` is before the cursor and `f`
 * was typed.
 */
function restOf({ label, textEdit }: Item, typed: string, before: string): string | undefined {
  const from = textEdit?.newText === label ? textEdit.range?.start.character : undefined;
  if (from === undefined || from >= before.length - typed.length) return label;
  const written = before.slice(from, before.length - typed.length);
  return label.startsWith(written) ? label.slice(written.length) : undefined;
}

/** The kind, from the language server's description of a name. */
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

/** A dot before a member name; not a spread. */
const isMember = /(?<!\.\.)\.\s*$/;

/** A name in the second line is a type. */
const beforeType = "0 as ";

/**
 * The kinds of names by their declaration and type. Completion reports "variable" for each imported name, as names of
 * earlier cells are, and for each global one, such as `Map`. Only the server's tokens follow a name to its declaration.
 */
export class NameKinds {
  readonly #checker: TypeChecker;
  readonly #earlier: EarlierCells;
  /** By name, with their origin. */
  readonly #kinds = new Map<string, CompletionKind>();

  constructor(checker: TypeChecker, earlier: EarlierCells) {
    this.#checker = checker;
    this.#earlier = earlier;
  }

  /**
   * Returns the kind of each match. New names of earlier cells and new global names are requested together.
   *
   * @param before the code up to the completed name
   * @param ownNames names that the cell itself declares
   */
  async of(
    matches: readonly CompletionMatch[],
    before: string,
    ownNames?: CellNames,
  ): Promise<readonly CompletionKind[]> {
    if (isMember.test(before)) return matches.map(({ kind }) => kind);
    const isOwn = (name: string) => ownNames?.values.has(name) || ownNames?.types.has(name);
    const isBeyond = ({ label, kind, isGlobal }: CompletionMatch) =>
      kind === "instance" && (isGlobal || (this.#earlier.has(label) && !isOwn(label)));
    const unknown = matches.filter((match) => isBeyond(match) && this.#kindOf(match.label) === undefined);
    if (unknown.length > 0) await this.#learn(unknown.map(({ label }) => label));
    return matches.map((match) => (isBeyond(match) ? this.#kindOf(match.label) : undefined) ?? match.kind);
  }

  /** Files that cells import may have changed. */
  forget(): void {
    this.#kinds.clear();
  }

  async #learn(names: readonly string[]): Promise<void> {
    const earlier = names.filter((name) => this.#earlier.has(name));
    const lines = names.flatMap((name) => [`${name};`, `${beforeType}${name};`]);
    const tokens = await this.#checker.tokens(cellText(lines.join("\n"), this.#earlier.declare(earlier)));
    const types = new Map(tokens.map(({ line, character, type }) => [`${line}:${character}`, type]));
    names.forEach((name, index) => {
      const line = linesBefore + 2 * index;
      const type = types.get(`${line}:0`) ?? types.get(`${line + 1}:${beforeType.length}`);
      // A default import of a whole module has no token.
      const silent = this.#earlier.has(name) ? "module" : "instance";
      this.#kinds.set(this.#key(name), type === undefined ? silent : (tokenKinds[type] ?? "instance"));
    });
  }

  #kindOf(name: string): CompletionKind | undefined {
    return this.#declared(name) ?? this.#kinds.get(this.#key(name));
  }

  /** Kinds that need no request. */
  #declared(name: string): CompletionKind | undefined {
    if (this.#earlier.isModule(name)) return "module";
    const isPreloaded = !this.#earlier.has(name) && Object.hasOwn(preloadedNames, name);
    return isPreloaded ? preloadedNames[name]?.kind : undefined;
  }

  #key(name: string): string {
    return `${name} ${this.#earlier.origin(name)}`;
  }
}
