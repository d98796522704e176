import { isBuiltin } from "node:module";
import type { CompletionKind } from "../../cell/language-engine.js";
import { ownFiles } from "./earlier-cells.js";

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
const kinds: Readonly<Record<number, CompletionKind>> = {
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
    matches.set(text, { label, text, kind: kinds[kind] ?? "<unknown>", isGlobal: sortText === globalSort });
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
