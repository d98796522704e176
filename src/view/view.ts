import { escapeHtml } from "../display/text/escape-html.js";
import { type FramePage, framePage } from "./frame-page.js";

/** An output that answers when it is pointed at. */
export interface View extends FramePage {
  readonly title: string;
  readonly still: Still | HtmlStill;
  /** Pixels below the still that are the frame's alone. Default 0. */
  readonly room?: number;
  /** Whether it can give files to who looks at it. */
  readonly mayDownload?: boolean;
}

/** The picture that is shown where frames or scripts are not allowed. */
export interface Still {
  /** `data:` URL of an image. */
  readonly image: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** What is shown there instead of a picture: HTML in which every text of the data is escaped. */
export interface HtmlStill {
  readonly html: string;
}

/** VS Code's page does not say its colour scheme; JupyterLab's does, and frames and images follow it. */
const schemes = `<style>.vscode-dark .siteframe-view :is(iframe, img), .vscode-high-contrast:not(.vscode-high-contrast-light) .siteframe-view :is(iframe, img) { color-scheme: dark; }
.vscode-light .siteframe-view :is(iframe, img), .vscode-high-contrast-light .siteframe-view :is(iframe, img) { color-scheme: light; }
@media print { .siteframe-view iframe { display: none; } }</style>`;

/**
 * A view as HTML: the still, and over it a frame without an origin (`sandbox`), transparent until its script has taken
 * over. A notebook that is not trusted loses the frame and keeps the still; so does print.
 */
export function viewHtml(view: View): string {
  const title = escapeHtml(view.title);
  const below = view.room ? `;padding-bottom:${view.room}px` : "";
  const page = framePage(view).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const width = "html" in view.still ? "" : `max-width:${view.still.width}px;`;
  const sandbox = `allow-scripts${view.mayDownload ? " allow-downloads" : ""}`;
  return (
    `<div class="siteframe-view" style="position:relative;width:100%;${width}overflow:hidden${below}">${schemes}${stillHtml(view.still, title)}` +
    `<iframe sandbox="${sandbox}" title="${title}" style="position:absolute;inset:0;width:100%;height:100%;border:0" srcdoc="${page}"></iframe></div>`
  );
}

function stillHtml(still: Still | HtmlStill, title: string): string {
  if ("html" in still) return still.html;
  const { image, width, height } = still;
  return `<img alt="${title}" src="${escapeHtml(image)}" width="${width}" height="${height}" style="display:block;width:100%;max-width:100%;height:auto;margin:0">`;
}
