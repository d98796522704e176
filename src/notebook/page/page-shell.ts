import { createHash } from "node:crypto";
import { frameScriptHashes } from "../../tables/display/frame-script.js";
import { escapeHtml } from "../../tables/display/text.js";

/** Wide pages have the contents next to the text. */
const WIDE = "min-width: 76rem";

/** The style of notebook pages and of their index: one measure, system fonts, light and dark, fit to print. */
const pageStyle = `
:root { color-scheme: light dark; --text: #1d2228; --soft: #5c6670; --line: #e1e5e9; --ground: #fff; --panel: #f5f7f9;
  --accent: #0b62c4; --good: #1a7f42; --bad: #c4302b; --bad-basemap: #fdf1f0; --warn: #b7791f;
  --keyword: #8a2da5; --string: #24713a; --number: #a1510a; --comment: #5f6973; --call: #0b5cad; --type: #0d6d76; }
@media (prefers-color-scheme: dark) { :root { --text: #dfe4e9; --soft: #98a3ae; --line: #2d343b; --ground: #15191d;
  --panel: #1d2329; --accent: #6cb2ff; --good: #56c281; --bad: #ff7b72; --bad-basemap: #2b1a1a; --warn: #e0ab52;
  --keyword: #d39bea; --string: #8fd19e; --number: #f0a868; --comment: #818c97; --call: #7cb8f5; --type: #63c5cf; } }
* { box-sizing: border-box; }
html { background: var(--ground); color: var(--text); -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 62rem; font: 16px/1.6 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, sans-serif; }
a { color: var(--accent); text-underline-offset: 2px; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2.2em 0 .6em; letter-spacing: -.01em; text-wrap: balance; }
h1 { font-size: 2rem; margin-top: .6em; } h2 { font-size: 1.4rem; } h3 { font-size: 1.15rem; }
p, ul, ol, blockquote { margin: .7em 0; max-width: 46rem; }
blockquote { border-left: 3px solid var(--line); padding-left: 1em; color: var(--soft); }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font-size: .875em; background: var(--panel); padding: .1em .35em; border-radius: 4px; }
pre { font-size: 13px; line-height: 1.55; margin: 0; overflow-x: auto; scrollbar-width: thin; }
pre code { background: none; padding: 0; font-size: inherit; }
img, svg { max-width: 100%; height: auto; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2em 0; }
.markdown table { border-collapse: collapse; } .markdown th, .markdown td { padding: .3em .8em; text-align: left;
  border-bottom: 1px solid var(--line); }
.markdown pre { background: var(--panel); border-radius: 8px; padding: .9em 1.1em; margin: 1em 0; }
.bar { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: center; font-size: .875rem; color: var(--soft); }
.bar .space { flex: 1; } .bar > :not(.age) { white-space: nowrap; }
.status { font-weight: 600; } .status::before { content: ""; display: inline-block; width: .55em; height: .55em;
  border-radius: 50%; margin-right: .45em; background: currentColor; }
.status.ok { color: var(--good); } .status.failed { color: var(--bad); }
.cell { margin: 1.1rem 0; }
.code { position: relative; background: var(--panel); border-radius: 8px; padding: .8em 1.1em; }
.code .count { position: absolute; right: calc(100% + .7rem); top: .85em; font: 12px/1.55 ui-monospace, Menlo, Consolas,
  "DejaVu Sans Mono", monospace; color: var(--soft); }
.code pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.code .tag { position: absolute; right: .9em; top: .7em; font-size: 11px; color: var(--soft); }
section > h2 + .outputs { padding-left: 0; gap: 1.6rem; }
.outputs { margin: .7rem 0 0; padding-left: 1.1em; display: grid; gap: .7rem; grid-template-columns: minmax(0, 1fr); }
.stream { color: var(--soft); }
.stream.stderr { border-left: 3px solid var(--warn); padding-left: .8em; }
.error { background: var(--bad-basemap); border-left: 3px solid var(--bad); border-radius: 0 8px 8px 0; padding: .8em 1.1em; }
.error strong { color: var(--bad); } .error mark { background: none; color: var(--bad); font-weight: 600; }
.error .frame { color: var(--soft); }
.result figure { margin: 0; } .result figure > div { font-size: 12px !important; }
.result figure h2 { font-size: 1.05rem; margin: 0; } .result figcaption { font-size: .85rem; color: var(--soft); }
.result figure h3 { font-size: .9rem; font-weight: 400; margin: 0 0 .5em; color: var(--soft); }
.keyword { color: var(--keyword); } .string { color: var(--string); } .number { color: var(--number); }
.comment { color: var(--comment); font-style: italic; } .call { color: var(--call); } .type { color: var(--type); }
.siteframe-table .number { color: inherit; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.4rem; margin-top: 2rem; }
.card { display: flex; flex-direction: column; border: 1px solid var(--line); border-radius: 12px; overflow: hidden;
  color: inherit; text-decoration: none; transition: border-color .15s, box-shadow .15s; }
.card:hover, .card:focus-visible { border-color: var(--accent); box-shadow: 0 4px 18px rgb(0 0 0 / .08); }
.card .thumbnail { height: 13rem; display: grid; grid-template: 100% / 100%; place-items: center;
  border-bottom: 1px solid var(--line); overflow: hidden; }
.card .thumbnail img { width: 100%; height: 100%; object-fit: cover; object-position: top left; padding: .6rem .6rem 0; }
.card .thumbnail:has(.letter) { background: var(--panel); }
.card .thumbnail .letter { font-size: 3rem; font-weight: 700; color: var(--soft); opacity: .35; }
.card .words { padding: 1rem 1.2rem 1.1rem; display: flex; flex-direction: column; flex: 1; gap: .4rem; }
.card h2 { font-size: 1.1rem; margin: 0; } .card p { margin: 0; font-size: .9rem; line-height: 1.5; color: var(--soft); }
.card .bar { margin-top: auto; padding-top: .5rem; font-size: .8rem; }
.neighbours { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; margin-top: 3rem; } .neighbours .space { flex: 1; }
.head { display: flex; gap: 1.2rem; align-items: center; margin: .6em 0 2rem; } .head h1, .head p { margin: 0; }
.head .logo { max-height: 3.6rem; max-width: 12rem; } .head .by { font-size: .875rem; color: var(--soft); }
.folded > summary { cursor: pointer; font-size: .875rem; color: var(--soft); margin: .3rem 0; }
.bare .outputs { padding-left: 0; } .for-others .siteframe-table th :is(br, small) { display: none; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line); font-size: .8rem; color: var(--soft); }
footer p, footer ul { margin: .2em 0; max-width: none; overflow-wrap: anywhere; }
.lead { color: var(--soft); margin-top: -.2em; }
.switch { display: inline-flex; align-items: center; gap: .35em; cursor: pointer; border: 1px solid var(--line); border-radius: 6px;
  padding: .1em .6em .1em .45em; } .switch:hover { border-color: var(--accent); } .switch input { margin: 0; accent-color: var(--accent); }
body:has(.switch input:not(:checked)) :is(.code, .of-code, .cell:not(.markdown, :has(.outputs))) { display: none; }
body:has(.switch input:not(:checked)) .outputs { padding-left: 0; margin-top: 0; }
.anchor { margin-left: .4em; color: var(--soft); font-weight: 400; text-decoration: none; opacity: 0; }
:is(h1, h2, h3, h4, h5, h6):hover > .anchor, .anchor:focus-visible { opacity: 1; } :target { scroll-margin-top: 1rem; }
.contents { margin: .9rem 0 0; font-size: .875rem; } .contents summary { cursor: pointer; color: var(--soft); width: fit-content; }
.contents ul { list-style: none; margin: .5em 0 0; padding: 0; } .contents li { margin: .3em 0; line-height: 1.4; }
.contents .below { padding-left: 1em; } .contents a { color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.contents a:hover { color: var(--accent); text-decoration: underline; }
@media screen and (${WIDE}) { body:has(> .contents) { max-width: 77rem; display: grid; grid-template-columns: minmax(0, 1fr) 13rem;
  column-gap: 2rem; } body:has(> .contents) > * { grid-column: 1; min-width: 0; }
  body:has(> .contents) > .contents { grid-area: 1 / 2 / span 9; position: sticky; top: 1.5rem; align-self: start; margin: 0;
  padding-left: 1rem; border-left: 1px solid var(--line); max-height: calc(100vh - 3rem); overflow-y: auto; scrollbar-width: thin; }
  .contents summary { list-style: none; pointer-events: none; font-weight: 600; } .contents ::details-content { content-visibility: visible; } }
@media (max-width: 68rem) { .code .count { position: static; display: block; margin-bottom: .2em; } }
.report { margin: .4em 0 1.8rem; } .report .top { display: flex; justify-content: space-between; gap: 1.5rem; }
.report h1 { margin: 0; } .report .site { font-size: 1.15rem; color: var(--soft); margin: .2em 0 0; }
.report .logo { max-height: 3.6rem; max-width: 12rem; object-fit: contain; align-self: flex-start; } .report .summary { font-size: 1.05rem; margin: 1.1rem 0; max-width: 52rem; }
.report dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, auto)); gap: .5rem 1.5rem; margin: 0; padding: .7rem 0;
  border: solid var(--line); border-width: 1px 0; font-size: .875rem; } .report dt { color: var(--soft); } .report dd { margin: 0; }
.report .note { font-size: .875rem; color: var(--soft); }
.row { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.1rem 1.5rem; align-items: start; margin: 1.1rem 0; } .row > .cell { margin: 0; min-width: 0; }
.row .siteframe-view { max-width: 34rem !important; }
@media screen and (max-width: 56rem) { .row { grid-template-columns: minmax(0, 1fr); } }
@page { margin: 15mm 14mm 17mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt Inter, sans-serif; color: #5c6670; } }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; font-size: 9.5pt; line-height: 1.45; }
  main { padding: 0 1px; } .bar a, .neighbours, .code .count, .contents, .switch, .anchor { display: none; }
  h1, h2, h3, h4 { margin-top: 1.2em; break-after: avoid; } h2 { font-size: 14pt; }
  h1 { margin-top: 0; } .cell { margin: .7rem 0; } footer { margin-top: 1rem; break-before: avoid; } .for-others ~ footer { display: none; }
  .for-others, .for-others > .cell:last-of-type, .for-others > .cell:last-of-type :last-child { margin-bottom: 0; } .for-others ~ footer, .bar:has(+ main.for-others) { display: none; }
  .outputs { display: block; } .result + .result { margin-top: .7rem; }
  .cell.markdown, .code, .intro, .intro * { break-after: avoid; } .code, .card, .error, tr, img, svg, figure, .row, .report { break-inside: avoid; }
  .row { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .7rem 1.1rem; margin: .7rem 0; }
  pre { font-size: 8pt; white-space: pre-wrap; overflow: visible; overflow-wrap: anywhere; }
  details:not(.folded)::details-content { content-visibility: visible; } details:not(.folded) > summary { list-style: none; } .folded { display: none; }
  .siteframe-table .scroll { max-height: none !important; overflow: visible !important; width: auto !important; border: 0 !important; border-radius: 0 !important; }
  .for-others .siteframe-table .cut tr { display: table-row !important; } .for-others .note.paper .rows { display: none; }
  .for-others .note.screen:has(+ .note.paper > .rows) { display: block !important; }
  .siteframe-table.siteframe-table table { font-size: 7.5pt; width: 100%; border-collapse: collapse; } .siteframe-table.siteframe-table table :is(th, td) { padding: .2em .5em !important; font-size: inherit; border: 0; border-bottom: .5pt solid #cfd5da !important; }
  .siteframe-table.siteframe-table thead th { border-top: .75pt solid #7b8794 !important; border-bottom: .75pt solid #7b8794 !important; background: #f2f4f6 !important; print-color-adjust: exact; } .siteframe-table.siteframe-table tbody tr:last-child td { border-bottom: .75pt solid #7b8794 !important; }
  .siteframe-table.siteframe-table .dim { opacity: 1; color: #5c6670; } .siteframe-kpis { grid-template-columns: repeat(var(--columns), minmax(0, 1fr)) !important; max-width: none !important; } .siteframe-cards { grid-template-columns: repeat(3, minmax(0, 1fr)) !important; } }
`;

/**
 * Remembers whether code is shown, closes the contents if they are above the text, and keeps the state of views in the page's
 * entry of the browser's history: it survives reloading and going back. The script precedes the elements that it hides, so
 * that they do not flash.
 */
export const pageScript = `{
const box = document.querySelector(".switch input"), key = "siteframe-code";
try { if (box && localStorage.getItem(key) === "hidden") box.checked = false; } catch {}
box?.addEventListener("change", () => { try { localStorage.setItem(key, box.checked ? "shown" : "hidden"); } catch {} });
const contents = document.querySelector(".contents details"), wide = matchMedia("(${WIDE})");
const fit = () => { if (contents) contents.open = wide.matches; };
fit();
wide.addEventListener("change", fit);
addEventListener("message", ({ source, data }) => {
  const index = [...document.querySelectorAll("iframe")].findIndex(({ contentWindow }) => contentWindow === source);
  if (index < 0 || data?.siteframe !== "state" || data.version !== 1) return;
  const { views } = history.state ?? {}, state = views?.[index];
  if (data.type === "save") history.replaceState({ ...history.state, views: { ...views, [index]: data.state } }, "");
  else if (state) source.postMessage({ siteframe: "state", version: 1, type: "state", state }, "*");
});
}`;

const pageScriptHash = `sha256-${createHash("sha256").update(pageScript).digest("base64")}`;

/** Print settings of a page. */
export interface PrintOptions {
  /** Size of the pages, in CSS syntax. */
  readonly paper?: string | undefined;
  /** Footer line of each page. */
  readonly foot?: string | undefined;
  /** BCP 47 tag of the page's language. Default: `en`. */
  readonly locale?: string | undefined;
}

/** A CSS string that cannot end the style. */
function cssText(text: string): string {
  return `"${text.replace(/[^\w .,:+-]/g, (sign) => `\\${(sign.codePointAt(0) as number).toString(16)} `)}"`;
}

function printStyle({ paper, foot }: PrintOptions): string {
  const size = paper === undefined ? "" : `@page { size: ${paper}; }`;
  if (foot === undefined) return size;
  return `${size}@page { @bottom-left { content: ${cssText(foot)}; font: 8pt Inter, sans-serif; color: #5c6670; } }`;
}

/**
 * A page's content in a complete HTML document. It loads nothing, and only runs its own script and those of frames, whose
 * source is fixed, whatever the outputs contain.
 */
export function pageShell(title: string, content: string, print: PrintOptions = {}): string {
  const page = `<!doctype html>
<html lang="${escapeHtml(print.locale ?? "en")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${pageScriptHash}' ${frameScriptHashes()}; img-src data: https:; base-uri 'none'; form-action 'none'">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}${printStyle(print)}</style>
</head>
<body>
${content}
</body>
</html>
`;
  return page.replace(CONTROLS, "\ufffd");
}

/** Characters that are invalid in HTML. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f\x7f]/g;
