import { deflateRawSync } from "node:zlib";
import { type FrameScriptName, frameScript } from "./frame-script.js";
import { frameStyle } from "./frame-style.js";
import { compactStyle } from "./html/table-style.js";
import { escapeHtml } from "./text/escape-html.js";

/** What stands in a frame. */
export interface FramePage {
  /** What the frame is called, of the document too. */
  readonly title: string;
  /** HTML of ours, in which every text of the data is escaped. */
  readonly body: string;
  /** Style of its own beside that of all frames. */
  readonly style?: string;
  /** Data for the script, by the id of the element that holds them. JSON. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly script: FrameScriptName;
}

/** JSON from this length on is deflated: below it the saving is less than a figure's axis. */
const LARGE = 20_000;

/** Small blocks: what is in a column of numbers is like itself, and unlike the next one. */
const deflation = { level: 9, memLevel: 6 };

/**
 * The document of a frame. It loads nothing, runs nothing but its one script, and shows nothing until that has taken
 * over. Data stand in elements that no browser runs.
 */
export function framePage({ title, body, style = "", facts, script }: FramePage): string {
  const { code, hash } = frameScript(script);
  const data = Object.entries(facts).map(([id, value]) => dataElement(id, JSON.stringify(value)));
  return (
    `<!doctype html><html lang=en><meta charset=utf-8><title>${escapeHtml(title)}</title><meta http-equiv=Content-Security-Policy content="default-src 'none'; ` +
    `script-src '${hash}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'">` +
    `<style>${compactStyle(frameStyle + style)}</style>${body}${data.join("")}<script>${code}</script>`
  );
}

function dataElement(id: string, json: string): string {
  if (json.length < LARGE) {
    return `<script id="${id}" type="application/json">${json.replaceAll("<", "\\u003c")}</script>`;
  }
  return `<script id="${id}" type="text/plain">${deflateRawSync(json, deflation).toString("base64")}</script>`;
}
