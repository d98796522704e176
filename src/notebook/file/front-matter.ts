import { readFile, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import type { Cell, Notebook } from "./notebook.js";

/** What a notebook says of itself in its first cell, for the head of its page. */
export interface FrontMatter {
  readonly title?: string;
  readonly subtitle?: string;
  readonly author?: string;
  readonly date?: string;
  /** Path of a picture, from the notebook's folder. */
  readonly logo?: string;
}

const names = ["title", "subtitle", "author", "date", "logo"] as const;

/** Whether a cell is front matter: a raw or Markdown cell, the first, between two lines of `---`. */
export function isFrontMatter(cell: Cell | undefined): boolean {
  return cell !== undefined && cell.cell_type !== "code" && /^---[ \t]*\n[\s\S]*?^---[ \t]*$/m.test(cell.source);
}

/** The front matter of a notebook, as Quarto and Jupyter Book have it: lines of `name: text`. Other names are left to them. */
export function readFrontMatter({ cells: [first] }: Notebook): FrontMatter {
  if (!first || !isFrontMatter(first)) return {};
  const found: Partial<Record<(typeof names)[number], string>> = {};
  for (const line of first.source.split("\n")) {
    const [, name, text] = /^(\w+):\s+(.*?)\s*$/.exec(line) ?? [];
    const known = names.find((each) => each === name);
    if (known && text) found[known] = text.replace(/^(["'])(.*)\1$/, "$2");
  }
  return found;
}

const pictureTypes: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
};

/** A page holds its logo. */
const MOST_LOGO_BYTES = 1 << 20;

/**
 * A logo as a `data:` URL.
 *
 * @param path of the notebook
 * @throws ArgumentError if there is no such picture, or it has more than a megabyte
 */
export async function readLogo(logo: string, path: string): Promise<string> {
  const place = resolve(dirname(path), logo);
  const type = pictureTypes[extname(place).toLowerCase()];
  const found = await stat(place).catch(() => undefined);
  if (!type || !found?.isFile() || found.size > MOST_LOGO_BYTES) {
    throw new ArgumentError(`The logo ${place} ${found ? "is no picture that a page can hold" : "is not there"}.`, {
      hint: `Give one of ${Object.keys(pictureTypes).join(", ")} with at most 1 MB, by its path from the notebook's folder.`,
      facts: { path: place },
    });
  }
  return `data:${type};base64,${(await readFile(place)).toString("base64")}`;
}
