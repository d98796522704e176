const STILL =
  /<div class="siteframe-view"[^>]*>(?:<style>[^<]*<\/style>)?(?:<picture><source [^>]*>)?<img [^>]*?src="(data:image\/(?:svg\+xml|png);base64,[A-Za-z0-9+/=]+)"/;

/**
 * The still of the first view in some HTML, whoever wrote that.
 *
 * @returns a `data:` URL that is safe in an attribute
 */
export function stillOf(html: string): string | undefined {
  return STILL.exec(html)?.[1];
}
