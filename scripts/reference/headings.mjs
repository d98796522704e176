/**
 * The headings of a Markdown page, with the anchors that GitHub gives them.
 *
 * @param {string} markdown
 * @returns {{ level: number, text: string, anchor: string }[]}
 */
export function headings(markdown) {
  const seen = new Map();
  const withoutCode = markdown.replace(/^```.*?^```/gms, "");
  return [...withoutCode.matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks, text]) => {
    const plain = text.replace(/`/g, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return { level: marks.length, text: plain, anchor: times === 0 ? slug : `${slug}-${times}` };
  });
}
