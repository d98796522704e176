const STILL =
  /<div class="siteframe-view"[^>]*>(?:<style>[^<]*<\/style>)?(?:<picture><source [^>]*>)?<img [^>]*?src="(data:image\/(?:svg\+xml|png);base64,[A-Za-z0-9+/=]+)"/;

/**
 * The fallback image of the first view in some HTML from any source.
 *
 * @returns a `data:` URL that is safe in an attribute
 */
export function fallbackOf(html: string): string | undefined {
  return STILL.exec(html)?.[1];
}
