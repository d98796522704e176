import { escapeHtml } from "./escape-html.js";

/**
 * Words to stand where a drawing was. Jupyter takes inline SVG, scripts and styles out of the HTML of a notebook that is
 * not trusted; without its style the note shows.
 */
export function untrustedNote(text: string): string {
  const note = escapeHtml(`${text} The drawing shows when the notebook is trusted or run again.`);
  return `<style>.siteframe-untrusted{display:none}</style><p class="siteframe-untrusted">${note}</p>`;
}
