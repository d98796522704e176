import { ArgumentError } from "../../../core/errors.js";
import { plainJson } from "../../../core/plain-json.js";
import { showValue } from "../../../core/show-value.js";
import { isJsonFormat } from "./is-json-format.js";
import type { MimeBundle } from "./mime-bundle.js";

/**
 * A bundle that can be sent and stored as it is: what belongs into JSON formats is plain JSON, everything else text.
 * Numbers, booleans, BigInts and lists of lines become text; formats that are undefined are left out.
 *
 * @param bundle what a value gave for itself
 * @throws ArgumentError that names the format which holds neither
 */
export function plainBundle(bundle: unknown): MimeBundle {
  if (typeof bundle !== "object" || bundle === null || Array.isArray(bundle)) {
    throw new ArgumentError(`A display is an object of formats by MIME type, not ${showValue(bundle)}.`);
  }
  const formats = Object.entries(bundle).filter(([, content]) => content !== undefined);
  return Object.fromEntries(
    formats.map(([mime, content]) => [mime, isJsonFormat(mime) ? plainJson(content, mime) : plainText(content, mime)]),
  );
}

function plainText(content: unknown, mime: string): string {
  if (typeof content === "string") return content;
  if (typeof content === "number" || typeof content === "boolean" || typeof content === "bigint")
    return String(content);
  if (Array.isArray(content) && content.every((line) => typeof line === "string")) return content.join("");
  if (ArrayBuffer.isView(content)) throw new ArgumentError(`${mime} must be text, with bytes as base64.`);
  throw new ArgumentError(`${mime} must be text, not ${showValue(content)}.`);
}
