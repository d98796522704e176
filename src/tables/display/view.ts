import { type FramePage, framePage } from "./frame-page.js";
import { escapeHtml } from "./text/escape-html.js";

/** An output that answers when it is pointed at. */
export interface View extends FramePage {
  readonly still: Still | HtmlStill;
  /** The picture in its place where the page is narrow. */
  readonly narrow?: Still;
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

/** What the HTML of a view begins with. */
export const viewStart = '<div class="siteframe-view"';

const parts = ".siteframe-view :is(iframe, img)";

/**
 * Frames and images follow the page's colour scheme. JupyterLab's page says it; a page that does not leaves them to the
 * system's. Of VS Code and nbconvert we know how else they say it.
 */
export const viewStyle = `.vscode-dark ${parts}, .vscode-high-contrast:not(.vscode-high-contrast-light) ${parts}, [data-jp-theme-light=false] ${parts} { color-scheme: dark; }
.vscode-light ${parts}, .vscode-high-contrast-light ${parts}, [data-jp-theme-light=true] ${parts}, #notebook-container ${parts} { color-scheme: light; }
@media print { .siteframe-view iframe { display: none; } }`;

/** Of a page: where a picture of 720 pixels has letters that are too small to read. */
const NARROW_PAGE = 560;

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
    `${viewStart} style="position:relative;width:100%;${width}overflow:hidden${below}"><style>${viewStyle}</style>${stillHtml(view, title)}` +
    `<iframe sandbox="${sandbox}" title="${title}" style="position:absolute;inset:0;width:100%;height:100%;border:0" srcdoc="${page}"></iframe></div>`
  );
}

function stillHtml({ still, narrow }: View, title: string): string {
  if ("html" in still) return still.html;
  const { image, width, height } = still;
  const picture = `<img alt="${title}" src="${escapeHtml(image)}" width="${width}" height="${height}" style="display:block;width:100%;max-width:100%;height:auto;margin:0">`;
  if (!narrow) return picture;
  // Where notebooks are not trusted, nothing of this is left but the image.
  return (
    `<picture><source media="(max-width:${NARROW_PAGE}px)" srcset="${escapeHtml(narrow.image)}" ` +
    `width="${narrow.width}" height="${narrow.height}">${picture}</picture>`
  );
}
