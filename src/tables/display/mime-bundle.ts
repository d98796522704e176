import { ArgumentError } from "../../core/errors.js";
import { plainJson } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";

/** One value in several formats, keyed by MIME type, as Jupyter's `display_data` carries it. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** The key of the method by which an object shows itself. Deno's kernel calls the same method. */
export const displaySymbol: unique symbol = Symbol.for("Jupyter.display") as typeof displaySymbol;

interface ElementLike {
  readonly outerHTML: string;
  readonly tagName: string;
  /** Of our figures, which may have legends beside their chart. */
  toSVG?(): string;
}

/** A DOM or SVG element as a bundle, whatever DOM it comes from. */
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

/** Whether a format's content is any JSON value, as Jupyter's notebook format has it; that of all others is text. */
export function isJsonFormat(mime: string): boolean {
  return /^application\/(.*\+)?json$/.test(mime);
}

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

/** A drawing that is to become an image, which takes longer than to draw it. */
export interface Picture {
  /** What stands for the image in the texts of the bundle. */
  readonly token: string;
  readonly svg: string;
  /** `png`: a PNG in base64. `shortest`: the `data:` URL of the drawing, or of the PNG where that is much shorter. */
  readonly as: "png" | "shortest";
}

/** A bundle whose pictures are still to be painted. Nothing else can change it. */
export interface UnpaintedBundle {
  readonly bundle: MimeBundle;
  readonly pictures: readonly Picture[];
}

/** Where a display method that has pictures gives its bundle without them. */
export const unpaintedSymbol: unique symbol = Symbol.for("siteframe.unpainted") as typeof unpaintedSymbol;

/** Up to this length in base64 a `shortest` picture is an SVG, which is sharp at any size, even if a PNG is shorter. */
const smallSvg = 100_000;

/**
 * The bundle with its pictures.
 *
 * @param paint makes a PNG in base64 of an SVG
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
    pictures.map(({ svg, as }) => (as === "png" ? paintOnce(svg) : shortest(svg, paintOnce))),
  );
  const filled = (text: string) =>
    pictures.reduce((before, { token }, index) => before.replaceAll(token, () => images[index] as string), text);
  return Object.fromEntries(
    Object.entries(bundle).map(([mime, content]) => [mime, typeof content === "string" ? filled(content) : content]),
  );
}

async function shortest(svg: string, paint: (svg: string) => Promise<string>): Promise<string> {
  const drawing = Buffer.from(svg).toString("base64");
  const png = drawing.length > smallSvg ? await paint(svg) : drawing;
  return png.length < drawing.length ? `data:image/png;base64,${png}` : `data:image/svg+xml;base64,${drawing}`;
}

/** Inline SVG may leave out the namespace that a stand-alone image needs. */
export function withNamespace(svg: string): string {
  return /^<svg[^>]*\sxmlns=/.test(svg) ? svg : svg.replace(/^<svg/, '<svg xmlns="http://www.w3.org/2000/svg"');
}
