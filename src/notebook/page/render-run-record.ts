import { escapeHtml } from "../../tables/display/text/escape-html.js";
import type { RunRecord, SourceRead } from "../run/run-record.js";

/** How old the oldest data of a notebook are, for the head of its page; empty if that is not known. */
export function renderDataAge({ sources }: RunRecord): string {
  const [oldest] = [...sources].sort((a, b) => Date.parse(a.read_at) - Date.parse(b.read_at));
  if (!oldest) return "";
  const generation = oldest.generation === undefined ? "" : `, generation ${oldest.generation}`;
  const others = sources.length > 1 ? " and later" : "";
  return `<span class="age">Data read ${minute(oldest.read_at)}${generation}${others}</span>`;
}

/** When and with what a notebook was run and what it read, for the foot of its page. */
export function renderRunRecord({ version, node, executed_at, sources }: RunRecord): string {
  const run = `Executed ${minute(executed_at)} with Siteframe ${escapeHtml(version)} on Node ${escapeHtml(node)}.`;
  const read = sources.map((source) => `<li>${describe(source)}</li>`).join("");
  return `<footer><p>${run}</p>${read ? `<p>Data:</p><ul>${read}</ul>` : ""}</footer>`;
}

function describe({ origin, generation, read_at }: SourceRead): string {
  const state = generation === undefined ? "" : `, generation ${generation}`;
  return `${escapeHtml(origin.name)}${state}, read ${minute(read_at)}`;
}

/** `2026-06-30 14:03 UTC`. */
function minute(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
