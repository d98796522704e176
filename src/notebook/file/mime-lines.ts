import { isJsonFormat } from "../../tables/display/bundle/is-json-format.js";
import type { MimeBundle } from "../../tables/display/bundle/mime-bundle.js";

/** Text formats of a bundle with their lines joined. */
export function joinBundle(bundle: MimeBundle): MimeBundle {
  return mapText(bundle, (value) => (isLines(value) ? value.join("") : value));
}

/** Text formats of a bundle as lists of lines, as notebook files keep them for the sake of diffs. */
export function splitBundle(bundle: MimeBundle): MimeBundle {
  return mapText(bundle, (value) => (typeof value === "string" ? splitLines(value) : value));
}

/** A text as lines, each with its line end. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** JSON formats hold values of their own, in which lists are lists. */
function mapText(bundle: MimeBundle, convert: (value: unknown) => unknown): MimeBundle {
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, value]) => [mime, isJsonFormat(mime) ? value : convert(value)]),
  );
}

function isLines(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}
