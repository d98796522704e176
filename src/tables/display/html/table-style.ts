/**
 * Colours are mixed from the text colour, so that the table fits light and dark surroundings alike.
 * The sticky header alone needs a solid ground: VS Code's (whose page has a white one of JupyterLab's too, in every
 * theme), JupyterLab's, or that of a page of ours, else the browser's.
 * The doubled class outranks JupyterLab's style, which aligns all table cells right.
 */
export const tableStyle = compactStyle(`
.siteframe-table { font: 13px/1.45 system-ui, sans-serif; max-width: 100%; }
.siteframe-table .scroll { overflow: auto; scrollbar-width: thin; max-height: 26rem; width: fit-content; max-width: 100%;
  border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 6px; }
.siteframe-table.siteframe-table table { border-collapse: separate; border-spacing: 0; margin: 0; font-variant-numeric: tabular-nums; }
.siteframe-table.siteframe-table table th, .siteframe-table.siteframe-table table td { padding: 4px 12px; text-align: left; white-space: nowrap;
  border: 0; border-bottom: 1px solid color-mix(in srgb, currentColor 10%, transparent); }
.siteframe-table.siteframe-table table tr:last-child td { border-bottom: 0; }
.siteframe-table.siteframe-table table thead th { position: sticky; top: 0; font-weight: 600; vertical-align: bottom;
  background: var(--vscode-editor-background, var(--jp-layout-color0, var(--ground, Canvas)));
  border-bottom: 1px solid color-mix(in srgb, currentColor 30%, transparent); }
.siteframe-table thead small { display: block; font-weight: 400; font-size: 11px; opacity: .65; }
.siteframe-table tbody tr:hover td { background: color-mix(in srgb, currentColor 6%, transparent); }
.siteframe-table.siteframe-table table .number { text-align: right; }
.siteframe-table.siteframe-table table .rest { font-weight: 400; font-style: italic; vertical-align: top; opacity: .65; }
.siteframe-table .dim { opacity: .65; font-style: italic; }
.siteframe-table .caption { font-weight: 600; margin-bottom: 4px; }
.siteframe-table .note { font-size: 12px; opacity: .65; margin-top: 4px; }
@media (prefers-contrast: more), (forced-colors: active) {
  .siteframe-table.siteframe-table :is(.note, .dim, .rest, small) { opacity: 1; }
  .siteframe-table .scroll, .siteframe-table.siteframe-table table :is(th, td) { border-color: currentColor; }
}
@media print {
  .siteframe-table .scroll { max-height: none !important; overflow: visible !important; white-space: normal !important; width: auto; }
  .siteframe-table.siteframe-table table :is(th, td) { padding: 2px 6px; font-size: 11px; white-space: normal; overflow-wrap: break-word; }
  .siteframe-table.siteframe-table table .long { overflow-wrap: anywhere; min-width: 18em; }
  .siteframe-table.siteframe-table table td.number { white-space: nowrap; }
  .siteframe-table.siteframe-table table thead th { position: static; }
  .siteframe-table .note.paper { display: block !important; }
}
`);

/** Style without the blanks that people read it by: it stands in every output. */
export function compactStyle(style: string): string {
  return style.replace(/\s*([{};,])\s*/g, "$1").replaceAll(": ", ":");
}
