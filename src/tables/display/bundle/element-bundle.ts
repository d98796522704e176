import type { MimeBundle } from "./mime-bundle.js";
import { withNamespace } from "./svg-namespace.js";

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
