import { readFile, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
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

const pictureTypes: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
};

/** Maximum size of a logo, which is embedded in a page. */
const MOST_LOGO_BYTES = 1 << 20;

/**
 * Returns a logo as a `data:` URL.
 *
 * @param path of the notebook
 * @throws ArgumentError for a missing or unsupported picture, and above one megabyte
 */
export async function readLogo(logo: string, path: string): Promise<string> {
  const file = resolve(dirname(path), logo);
  const type = pictureTypes[extname(file).toLowerCase()];
  const stats = await stat(file).catch(() => undefined);
  if (!type || !stats?.isFile() || stats.size > MOST_LOGO_BYTES) {
    throw new ArgumentError(`The logo ${file} ${stats ? "is not a supported picture" : "does not exist"}.`, {
      hint: `Use a picture (${Object.keys(pictureTypes).join(", ")}) of at most 1 MB, by its path relative to the notebook's folder.`,
      facts: { path: file },
    });
  }
  return `data:${type};base64,${(await readFile(file)).toString("base64")}`;
}
