import { ArgumentError } from "../../core/errors.js";
import { plainJson } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";

/** One value in several formats by MIME type, as in Jupyter's `display_data`. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** Key of the method with which an object displays itself. Deno's kernel calls the same method. */
export const displaySymbol: unique symbol = Symbol.for("Jupyter.display") as typeof displaySymbol;

interface ElementLike {
  readonly outerHTML: string;
  readonly tagName: string;
  /** For Siteframe's figures, which may have legends next to their chart. */
  toSVG?(): string;
}

/** A DOM or SVG element as a bundle, from any DOM. */
export function elementBundle(value: unknown): MimeBundle | undefined {
  if (!isElementLike(value)) return undefined;
  const tag = value.tagName.toLowerCase();
  const bundle = { "text/plain": `<${tag}>`, "text/html": value.outerHTML };
  if (typeof value.toSVG === "function") return { ...bundle, "image/svg+xml": value.toSVG() };
  return tag === "svg" ? { ...bundle, "image/svg+xml": withNamespace(value.outerHTML) } : bundle;
}

function isElementLike(value: unknown): value is ElementLike {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<ElementLike>;
  return typeof candidate.outerHTML === "string" && typeof candidate.tagName === "string";
}

/** Whether a format's content is any JSON value, by Jupyter's notebook format; all other formats are text. */
export function isJsonFormat(mime: string): boolean {
  return /^application\/(.*\+)?json$/.test(mime);
}

/**
 * A bundle that can be sent and stored unchanged: plain JSON for JSON formats, text for others. Numbers, booleans,
 * BigInts and lists of lines become text; undefined formats are left out.
 *
 * @param bundle the result of a value's display method
 * @throws ArgumentError with the format whose content is neither
 */
export function plainBundle(bundle: unknown): MimeBundle {
  if (typeof bundle !== "object" || bundle === null || Array.isArray(bundle)) {
    throw new ArgumentError(`Invalid display ${showValue(bundle)}.`, {
      hint: 'Use an object with formats by MIME type: { "text/plain": "…" }.',
    });
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
  if (ArrayBuffer.isView(content))
    throw new ArgumentError(`${mime} must be text, with bytes as base64.`, {
      hint: 'Encode the bytes: Buffer.from(bytes).toString("base64").',
    });
  throw new ArgumentError(`${mime} must be text, not ${showValue(content)}.`);
}

/** A drawing that will be converted to an image, which takes longer than drawing. */
export interface Picture {
  /** Placeholder for the image in the bundle. */
  readonly token: string;
  readonly svg: string;
  /**
   * `png`: a PNG in base64. `svg`: the `data:` URL of the drawing. `shortest`: the same, or that of the PNG if it is much
   * shorter.
   */
  readonly as: "png" | "svg" | "shortest";
}

/** A bundle that is complete except for its pictures. */
export interface UnpaintedBundle {
  readonly bundle: MimeBundle;
  readonly pictures: readonly Picture[];
}

/** Key of a display method that returns its bundle without the pictures. */
export const unpaintedSymbol: unique symbol = Symbol.for("siteframe.unpainted") as typeof unpaintedSymbol;

/**
 * Up to this length in base64, a `shortest` picture is an SVG, which is sharp at any size, even if a PNG is shorter.
 */
const smallSvg = 100_000;

/**
 * Returns the bundle with its pictures.
 *
 * @param paint converts an SVG to a PNG in base64
 */
export async function paintBundle(
  { bundle, pictures }: UnpaintedBundle,
  paint: (svg: string) => Promise<string>,
): Promise<MimeBundle> {
  const painted = new Map<string, Promise<string>>();
  const paintOnce = (svg: string) => {
    const image = painted.get(svg) ?? paint(svg);
    painted.set(svg, image);
    return image;
  };
  const images = await Promise.all(
    pictures.map(({ svg, as }) =>
      as === "png" ? paintOnce(svg) : as === "svg" ? drawingUrl(svg) : shortest(svg, paintOnce),
    ),
  );
  const filled = (text: string) =>
    pictures.reduce((before, { token }, index) => before.replaceAll(token, () => images[index] as string), text);
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, content]) => [mime, typeof content === "string" ? filled(content) : content]),
  );
}

function drawingUrl(svg: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}

async function shortest(svg: string, paint: (svg: string) => Promise<string>): Promise<string> {
  const drawing = Buffer.from(svg).toString("base64");
  const png = drawing.length > smallSvg ? await paint(svg) : drawing;
  return png.length < drawing.length ? `data:image/png;base64,${png}` : `data:image/svg+xml;base64,${drawing}`;
}

/** Inline SVG may omit the namespace that a separate image needs. */
export function withNamespace(svg: string): string {
  return /^<svg[^>]*\sxmlns=/.test(svg) ? svg : svg.replace(/^<svg/, '<svg xmlns="http://www.w3.org/2000/svg"');
}
