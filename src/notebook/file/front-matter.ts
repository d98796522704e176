import { readFile, stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import type { Cell, Notebook } from "./notebook.js";

/** Front matter in a notebook's first cell, for the head of its page. */
export interface FrontMatter {
  readonly title?: string;
  readonly subtitle?: string;
  readonly author?: string;
  readonly date?: string;
  /** Path of a picture, relative to the notebook's folder. */
  readonly logo?: string;
}

const names = ["title", "subtitle", "author", "date", "logo"] as const;

/** Whether a cell is front matter: the first cell, raw or Markdown, between two lines of `---`. */
export function isFrontMatter(cell: Cell | undefined): boolean {
  return cell !== undefined && cell.cell_type !== "code" && /^---[ \t]*\n[\s\S]*?^---[ \t]*$/m.test(cell.source);
}

/** The front matter of a notebook, as in Quarto and Jupyter Book: lines of `name: text`. Other names are ignored. */
export function readFrontMatter({ cells: [first] }: Notebook): FrontMatter {
  if (!first || !isFrontMatter(first)) return {};
  const fields: Partial<Record<(typeof names)[number], string>> = {};
  for (const line of first.source.split("\n")) {
    const [, name, text] = /^(\w+):\s+(.*?)\s*$/.exec(line) ?? [];
    const key = names.find((each) => each === name);
    if (key && text) fields[key] = text.replace(/^(["'])(.*)\1$/, "$2");
  }
  return fields;
}

/** Pictures by the extension of their files, and how their content begins. */
const pictureTypes: Readonly<Record<string, { readonly mime: string; readonly start: RegExp }>> = {
  ".svg": { mime: "image/svg+xml", start: /^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml|!)[\s\S]*?svg\b/ },
  ".png": { mime: "image/png", start: /^\x89PNG/ },
  ".jpg": { mime: "image/jpeg", start: /^\xff\xd8\xff/ },
  ".jpeg": { mime: "image/jpeg", start: /^\xff\xd8\xff/ },
};

/** Maximum size of a logo, which is embedded in a page. */
const MOST_LOGO_BYTES = 1 << 20;

/**
 * Returns a logo as a `data:` URL.
 *
 * @param folder that the path is relative to
 * @throws ArgumentError for a missing or unsupported picture, and above one megabyte
 */
export async function readLogo(logo: string, folder: string): Promise<string> {
  const file = resolve(folder, logo);
  const type = pictureTypes[extname(file).toLowerCase()];
  const stats = await stat(file).catch(() => undefined);
  const content = type && stats?.isFile() && stats.size <= MOST_LOGO_BYTES ? await readFile(file) : undefined;
  if (!type || !content || !type.start.test(content.toString("latin1"))) {
    throw new ArgumentError(`The logo ${file} ${stats ? "is not a supported picture" : "does not exist"}.`, {
      hint: `Use a picture (${Object.keys(pictureTypes).join(", ")}) of at most 1 MB.`,
      facts: { path: file },
    });
  }
  return `data:${type.mime};base64,${content.toString("base64")}`;
}
