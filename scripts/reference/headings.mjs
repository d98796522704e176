import { Anchors } from "../../modules/notebook/page/page-headings.js";

/**
 * The headings of a Markdown page, with the anchors that GitHub gives them.
 *
 * @param {string} markdown
 * @returns {{ level: number, text: string, anchor: string }[]}
 */
export function headings(markdown) {
  const anchors = new Anchors();
  const withoutCode = markdown.replace(/^```.*?^```/gms, "");
  return [...withoutCode.matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks, text]) => {
    const plain = text.replace(/`/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    return { level: marks.length, text: plain, anchor: anchors.take(plain) };
  });
}
