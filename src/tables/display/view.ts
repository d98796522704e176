import { constants, deflateRawSync } from "node:zlib";
import { type FrameScriptName, frameScript } from "./frame-script.js";
import { compactStyle, readStyle } from "./html/render-table.js";
import type { FrameLink } from "./live/frame-link.js";
import type { MimeBundle } from "./mime-bundle.js";
import { escapeHtml } from "./text.js";

/** The contents of a frame. */
interface FramePage {
  /** Title of the frame and its document. */
  readonly title: string;
  /** Trusted HTML, in which all strings of the data are escaped. */
  readonly body: string;
  /** Further style, in addition to that of all frames. Default: the script adds all style, which is in the payload. */
  readonly style?: string;
  /** Data for the script, which must be JSON. */
  readonly payload: unknown;
  readonly script: FrameScriptName;
}

/** JSON from this length on is compressed: below it, compression saves less than the size of a figure's axis. */
const LARGE = 20_000;

/**
 * Characters that end an element, or that pages replace; `JSON.stringify()` escapes other control characters itself.
 */
const CHANGED_BY_HTML = /[<\x7f-\x9f]/g;

/** Small blocks, and few short matches: a column of numbers is similar to itself, but not to the next one. */
const deflation = { level: 9, memLevel: 6, strategy: constants.Z_FILTERED };

/** An output that responds to the pointer. */
export interface View extends FramePage {
  readonly fallback: Fallback | HtmlFallback;
  /** The alternative picture for narrow pages. */
  readonly narrow?: Fallback;
  /** Pixels below the fallback that only the frame uses. Pages without scripts omit them. Default: 0. */
  readonly room?: number;
  /** Whether it can offer files for download. */
  readonly mayDownload?: boolean;
  /** Whether it can use full screen. */
  readonly mayFillScreen?: boolean;
  /** Whether it has links to web pages, which open outside the frame. */
  readonly mayOpen?: boolean;
}

/** The fallback picture, shown if frames or scripts are not allowed. */
export interface Fallback {
  /** `data:` URL of an image. */
  readonly image: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** Fallback HTML instead of a picture, in which all strings of the data are escaped. */
interface HtmlFallback {
  readonly html: string;
}

/** The beginning of a view's HTML. */
const viewStart = '<div class="siteframe-view"';

/**
 * Frames and images follow the page's color scheme. JupyterLab's page declares it; pages that do not use the system's.
 * VS Code and nbconvert declare it in other ways, which are handled here.
 */
export const viewStyle = (): string => readStyle("view");

/** Width of a page below which the text of a picture of 720 pixels is too small to read. */
const NARROW_PAGE = 560;

/**
 * A view as HTML: the fallback, and over it a frame without an origin (`sandbox`), transparent until its script runs.
 * Untrusted notebooks and print only show the fallback.
 */
export function viewHtml(view: View): string {
  const title = escapeHtml(view.title);
  const below = view.room ? `;--room:${view.room}px` : "";
  const page = attributeText(framePage(view));
  const width = "html" in view.fallback ? "" : `max-width:${view.fallback.width}px;`;
  const sandbox = [
    "allow-scripts",
    ...(view.mayDownload ? ["allow-downloads"] : []),
    // Opened links are normal pages, in which the reader is signed in.
    ...(view.mayOpen ? ["allow-popups", "allow-popups-to-escape-sandbox"] : []),
  ].join(" ");
  return (
    `${viewStart} style="position:relative;width:100%;${width}overflow:hidden${below}"><style>${viewStyle()}</style>${fallbackHtml(view, title)}` +
    `<iframe sandbox="${sandbox}"${view.mayFillScreen ? ' allow="fullscreen"' : ""} title="${title}" style="position:absolute;inset:0;width:100%;height:100%;border:0" srcdoc="${page}"></iframe></div>`
  );
}

/** Until the script runs. */
const HIDDEN = "html:not(.live) body{visibility:hidden}";

/** The beginning of a frame's document. */
const PAGE_START = "<!doctype html><html lang=en><meta charset=utf-8>";

/**
 * The HTML of views with their frames linked, so that they share their selection.
 *
 * @param html HTML of a bundle
 */
export function linkFrames(html: string, link: FrameLink): string {
  const start = `srcdoc="${PAGE_START}`;
  const { code } = frameScript("selection-line");
  // Before the frame's own policy, which allows one script. The policy of a page applies to both.
  const linked = `${dataElement("link", JSON.stringify(link))}<script>${code}</script>`;
  // A function, because a string may contain replacement patterns.
  return html.replaceAll(start, () => start + attributeText(linked));
}

/** Only an ampersand before a name or number can begin a character reference. */
export function attributeText(html: string): string {
  return html.replaceAll(/&(?=[a-z0-9#])/gi, "&amp;").replaceAll('"', "&quot;");
}

/**
 * The document of a frame. It loads nothing, runs only its own script, and is invisible until that script runs. Data
 * are in elements that browsers do not execute.
 */
function framePage({ title, body, style, payload, script }: FramePage): string {
  const { code, hash } = frameScript(script);
  const data = dataElement("payload", JSON.stringify(payload));
  return (
    `${PAGE_START}<title>${escapeHtml(title)}</title><meta http-equiv=Content-Security-Policy content="default-src 'none'; ` +
    `script-src '${hash}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'">` +
    `<style>${HIDDEN}${style === undefined ? "" : readStyle("frame") + compactStyle(style)}</style>${body}${data}<script>${code}</script>`
  );
}

function dataElement(id: string, json: string): string {
  if (json.length < LARGE) {
    const escaped = json.replace(CHANGED_BY_HTML, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
    return `<script id="${id}" type="application/json">${escaped}</script>`;
  }
  return `<script id="${id}" type="text/plain">${deflateRawSync(json, deflation).toString("base64")}</script>`;
}

function fallbackHtml({ fallback, narrow }: View, title: string): string {
  if ("html" in fallback) return fallback.html;
  const { image, width, height } = fallback;
  const picture = `<img alt="${title}" src="${escapeHtml(image)}" width="${width}" height="${height}" style="display:block;width:100%;max-width:100%;height:auto;margin:0">`;
  if (!narrow) return picture;
  // In untrusted notebooks, only the image of this HTML remains.
  return (
    `<picture><source media="(max-width:${NARROW_PAGE}px)" srcset="${escapeHtml(narrow.image)}" ` +
    `width="${narrow.width}" height="${narrow.height}">${picture}</picture>`
  );
}

/** The style of the tooltip of charts and maps, and of the related legend. */
export const tipStyle = `#tip { position: fixed; z-index: 3; pointer-events: none; box-sizing: border-box; max-width: min(20rem, 96vw); padding: 5px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); box-shadow: 0 3px 10px #0003; overflow-wrap: anywhere; }
#tip[hidden] { display: none; } #tip b { font-weight: 600; } #tip table { border-spacing: 0; }
#tip th { padding: 0 12px 0 0; color: var(--soft); font-weight: 400; text-align: left; } #tip td { text-align: right; font-variant-numeric: tabular-nums; }
#tip svg { margin-right: 6px; } #tip .near :is(th, td) { color: var(--text); font-weight: 600; } [aria-pressed=true] text { font-weight: 600; text-decoration: underline; }
@media print { #tip { display: none; } }
`;

/** Type that marks HTML with views. */
const viewType = "application/vnd.siteframe.view.v1+json";

/**
 * A bundle that is marked if its HTML has views. JupyterLab's extension renders marked bundles from their HTML; other
 * hosts ignore the type. The mark does not repeat the views, which would double the output.
 */
export function withViewType(bundle: MimeBundle): MimeBundle {
  const html = bundle["text/html"];
  return typeof html === "string" && html.includes(viewStart) ? { ...bundle, [viewType]: {} } : bundle;
}

const IMAGE = "(data:image\\/(?:svg\\+xml|png);base64,[A-Za-z0-9+/=]+)";

const STILL = new RegExp(
  `<div class="siteframe-view"[^>]*>(?:<style>[^<]*</style>)?(?:<picture><source (?:[^>]*?srcset="${IMAGE}")?[^>]*>)?<img [^>]*?src="${IMAGE}"`,
);

/**
 * The fallback image of the first view in some HTML from any source.
 *
 * @param page the page that it is for; text of the image for a narrow page is larger, if there is such an image
 * @returns a `data:` URL that is safe in an attribute
 */
export function fallbackOf(html: string, page: "wide" | "narrow" = "wide"): string | undefined {
  const [, narrow, wide] = STILL.exec(html) ?? [];
  return page === "narrow" ? (narrow ?? wide) : wide;
}
