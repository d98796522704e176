import { isBuiltin } from "node:module";
import { ownFiles } from "./earlier-cells.js";

interface Item {
  readonly label: string;
  readonly sortText?: string;
  readonly insertText?: string;
  /** What would be replaced, from where on; a specifier is replaced as a whole. */
  readonly textEdit?: { readonly newText: string; readonly range?: { readonly start: { readonly character: number } } };
}

/**
 * Of what the language server offers, what goes on from what was typed, the likeliest first.
 *
 * @param before the line up to the cursor, with what was typed
 */
export function completionMatches(offered: unknown, typed: string, before: string): readonly string[] {
  const { items = [] } = (offered ?? {}) as { readonly items?: readonly Item[] };
  const start = typed.toLowerCase();
  const rests = items.flatMap((item) => {
    const rest = restOf(item, typed, before);
    const fits = rest?.toLowerCase().startsWith(start) && !item.label.startsWith(ownFiles);
    return rest !== undefined && fits ? [{ ...item, rest }] : [];
  });
  const key = ({ label, sortText = "" }: Item) => `${sortText}\n${label}`;
  const sorted = rests.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const specifier = /["'`](node:[^"'`]*)$/.exec(before)?.[1];
  const head = specifier?.slice(0, specifier.length - typed.length);
  return [...new Set(sorted.map(({ label, rest, insertText = rest }) => (rest === label ? insertText : rest)))].filter(
    (match) => match !== "tsconfig.json" && (head === undefined || isBuiltin(head + match)),
  );
}

/** What stands for what was typed: of `node:fs`, when `node:f` is there and `f` was typed, it is `fs`. */
function restOf({ label, textEdit }: Item, typed: string, before: string): string | undefined {
  const from = textEdit?.newText === label ? textEdit.range?.start.character : undefined;
  if (from === undefined || from >= before.length - typed.length) return label;
  const written = before.slice(from, before.length - typed.length);
  return label.startsWith(written) ? label.slice(written.length) : undefined;
}
