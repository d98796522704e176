import { inflateRawSync } from "node:zlib";
import { parseHTML } from "linkedom";

/** The document in the frame of an output. */
export function framePageOf(html: string): string {
  const srcdoc = /srcdoc="([^"]*)"/.exec(html)?.[1] ?? "";
  return srcdoc.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** The data in the frame of an output, as read by its script. */
export function frameFacts(html: string): unknown {
  const { document } = parseHTML(`<html><body>${framePageOf(html)}</body></html>`);
  const element = document.getElementById("payload");
  const text = element?.textContent ?? "";
  if (element?.getAttribute("type") === "application/json") return JSON.parse(text);
  return JSON.parse(inflateRawSync(Buffer.from(text, "base64")).toString());
}

/** The picture below the frame of an output. */
export function fallbackOf(html: string): { readonly type: string; readonly bytes: Buffer } {
  const [, type = "", base64 = ""] = /<img [^>]*src="data:image\/([^;]+);base64,([^"]*)"/.exec(html) ?? [];
  return { type, bytes: Buffer.from(base64, "base64") };
}
