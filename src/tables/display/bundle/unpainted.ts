import type { MimeBundle } from "./mime-bundle.js";

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
