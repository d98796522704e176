/** Width and height of an SVG image, by its viewBox. */
export function svgSize(svg: string): { readonly width: number; readonly height: number } {
  const [, width = 0, height = 0] = (/^<svg[^>]*viewBox="\S+ \S+ (\S+) ([^"\s]+)"/.exec(svg) ?? []).map(Number);
  return { width, height };
}
