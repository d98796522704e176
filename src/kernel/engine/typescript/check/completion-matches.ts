import { ownFiles } from "./earlier-cells.js";

interface Item {
  readonly label: string;
  readonly sortText?: string;
  readonly insertText?: string;
}

/** Of what the language server offers, what goes on from what was typed, the likeliest first. */
export function completionMatches(offered: unknown, typed: string): readonly string[] {
  const { items = [] } = (offered ?? {}) as { readonly items?: readonly Item[] };
  const start = typed.toLowerCase();
  const fitting = items.filter(({ label }) => label.toLowerCase().startsWith(start) && !label.startsWith(ownFiles));
  const key = ({ label, sortText = "" }: Item) => `${sortText}\n${label}`;
  const sorted = fitting.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [...new Set(sorted.map(({ label, insertText = label }) => insertText))].filter(
    (match) => match !== "tsconfig.json",
  );
}
