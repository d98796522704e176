import { readdirSync, readFileSync } from "node:fs";

/** Pages whose blocks of TypeScript are run: the README, the page for assistants, and the documentation without the reference and the decisions. */
export const documents: readonly string[] = ["README.md", "SKILL.md", ...pagesIn("docs")];

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md") && !/^docs\/(api|decisions)\//.test(path))
    .sort();
}

/** A block of TypeScript, and the place of its result. */
export interface CodeBlock {
  readonly code: string;
  /** In an HTML comment: it prepares what the next blocks use, and has no result. */
  readonly isHidden: boolean;
  /** Offsets of the result's start and end in the document; equal if it has none. */
  readonly start: number;
  readonly end: number;
  /** Below the block: its output as text. */
  readonly text: string | undefined;
  /** Below the block: the path of its picture, relative to the document. */
  readonly picture: string | undefined;
}

const FENCE = /^```ts\n(.*?)^```\n/gms;
const TEXT_RESULT = /^\n```text\n(.*?)^```\n/ms;
const PICTURE_RESULT = /^\n!\[[^\]]*\]\(([^)]+\.svg)\)\n/;

/** Reads the blocks of a document with their results: a block of text, a picture, or both. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const comments = [...markdown.matchAll(/<!--.*?-->/gs)].map(({ index, 0: { length } }) => [index, index + length]);
  return [...markdown.matchAll(FENCE)].map((match): CodeBlock => {
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

/** Blocks of another language. */
export function blocksOf(document: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms");
  return [...readFileSync(document, "utf8").matchAll(fence)].map((match) => match[1] ?? "");
}
