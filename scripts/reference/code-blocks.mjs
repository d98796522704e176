const FENCE = /^```ts\n(.*?)^```\n/gms;
const TEXT_RESULT = /^\n```text\n(.*?)^```\n/ms;
const PICTURE_RESULT = /^\n!\[[^\]]*\]\(([^)]+\.svg)\)\n/;

/**
 * Reads the blocks of TypeScript of a document with their results: a block of text, a picture, or both.
 *
 * @param {string} markdown
 */
export function codeBlocks(markdown) {
  const comments = [...markdown.matchAll(/<!--.*?-->/gs)].map(({ index, 0: { length } }) => [index, index + length]);
  return [...markdown.matchAll(FENCE)].map((match) => {
    const start = match.index + match[0].length;
    const rest = markdown.slice(start);
    const text = TEXT_RESULT.exec(rest);
    const textEnd = text?.index === 0 ? text[0].length : 0;
    const picture = PICTURE_RESULT.exec(rest.slice(textEnd));
    return {
      code: match[1] ?? "",
      isHidden: comments.some(([from = 0, to = 0]) => from < match.index && match.index < to),
      start,
      end: start + textEnd + (picture?.[0].length ?? 0),
      text: textEnd > 0 ? text?.[1] : undefined,
      picture: picture?.[1],
    };
  });
}

/**
 * Reads the examples of a page of the API reference, with the name that each one belongs to.
 *
 * @param {string} markdown
 */
export function exampleBlocks(markdown) {
  let [heading, name, member, end] = ["", "", "", 0];
  return codeBlocks(markdown).flatMap((block) => {
    for (const [, marks, text] of markdown.slice(end, block.start).matchAll(/^(#{3,6}) (.+)$/gm)) {
      heading = text;
      const plain = text.replace(/\(\)$/, "");
      if (marks.length === 3) [name, member] = [plain, ""];
      if (marks.length === 5 && text !== plain) member = `.${plain}`;
    }
    end = block.start;
    return heading === "Example" ? [{ ...block, name: `${name}${member}` }] : [];
  });
}

/**
 * A page of the API reference with the results that the examples have in its last version.
 *
 * @param {string} page
 * @param {string} last
 */
export function keepResults(page, last) {
  const key = ({ name, code }) => `${name}\n${code}`;
  const known = new Map(exampleBlocks(last).map((block) => [key(block), last.slice(block.start, block.end)]));
  let [text, end] = ["", 0];
  for (const block of exampleBlocks(page)) {
    text += page.slice(end, block.start) + (known.get(key(block)) ?? "");
    end = block.start;
  }
  return text + page.slice(end);
}
