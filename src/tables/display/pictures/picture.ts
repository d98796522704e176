import type { MimeBundle } from "../bundle/mime-bundle.js";
import { escapeHtml } from "../text/escape-html.js";

/** A small image that goes with a value. */
export interface Picture {
  /** A stand-alone SVG, in colours that can be seen on white and on dark ground. */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** What it shows, in words: read aloud instead of the image, and shown where there are no images. */
  readonly caption: string;
}

/** Colours for images, which know nothing of the ground they stand on. */
export const pictureColours = { mark: "#2a86c8", text: "#767676" } as const;

/**
 * The image as HTML, with its caption below. As an `img` with its data inside it survives where notebooks that are not
 * trusted lose inline SVG.
 */
export function pictureHtml({ svg, width, height, caption }: Picture): string {
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  const words = escapeHtml(caption);
  return (
    `<div style="margin-top:8px"><img alt="${words}" width="${width}" height="${height}" src="${source}" ` +
    `style="max-width:100%;height:auto;display:block;margin:0"><div style="font:12px/1.5 system-ui,sans-serif;opacity:.75">${words}</div></div>`
  );
}

/** A bundle with an image below it, which is told as text where there are none; the same bundle without an image. */
export function withPicture(bundle: MimeBundle, picture: Picture | undefined): MimeBundle {
  if (!picture) return bundle;
  return {
    ...bundle,
    "text/html": `${bundle["text/html"] ?? ""}${pictureHtml(picture)}`,
    "text/plain": `${bundle["text/plain"]}\n${picture.caption}`,
  };
}

/** The frame of a stand-alone SVG, with its title. */
export function svgDocument(width: number, height: number, title: string, content: string): string {
  const label = escapeHtml(title);
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${label}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11"><title>${label}</title>${content}</svg>`;
}
