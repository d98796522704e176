/** Inline SVG may leave out the namespace that a stand-alone image needs. */
export function withNamespace(svg: string): string {
  return /^<svg[^>]*\sxmlns=/.test(svg) ? svg : svg.replace(/^<svg/, '<svg xmlns="http://www.w3.org/2000/svg"');
}
