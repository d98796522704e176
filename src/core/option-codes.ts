import { reportLocale } from "./provenance.js";

/** Codes of options of the definitions that were read while a report is being made. */
const codes = new Set<string>();

/** Adds option codes of definitions to the words that reports may change: `ACME` could be the name of a company. */
export function addOptionCodes(added: readonly string[]): void {
  if (reportLocale() !== undefined) for (const code of added) codes.add(code);
}

/** Whether a definition has this option code. */
export function isOptionCode(text: string): boolean {
  return codes.has(text);
}
