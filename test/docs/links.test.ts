import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { marked, type Token } from "marked";
import { describe, expect, it } from "vitest";
import { headings } from "../../scripts/reference/headings.mjs";

interface Text {
  readonly path: string;
  readonly markdown: string;
}

interface Cell {
  readonly cell_type: string;
  readonly source: string | readonly string[];
}

const roots = readdirSync(".").filter((name) => name.endsWith(".md"));
const docs = readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") || name === "llms.txt")
  .map((name) => join("docs", name));
const pages: readonly Text[] = [...roots, ...docs].map((path) => ({ path, markdown: readFileSync(path, "utf8") }));
const notebooks: readonly Text[] = readdirSync("notebooks")
  .filter((name) => name.endsWith(".ipynb"))
  .map((name) => ({ path: join("notebooks", name), markdown: cellsOf(join("notebooks", name)) }));

function cellsOf(path: string): string {
  const { cells }: { readonly cells: readonly Cell[] } = JSON.parse(readFileSync(path, "utf8"));
  const texts = cells.filter(({ cell_type }) => cell_type === "markdown").map(({ source }) => [source].flat().join(""));
  return texts.join("\n\n");
}

function linksOf(markdown: string): readonly string[] {
  const links: string[] = [];
  marked.walkTokens(marked.lexer(markdown), (token: Token) => {
    if (token.type === "link" || token.type === "image") links.push(String(token["href"]));
    if (token.type === "html") {
      for (const [, href = ""] of token.raw.matchAll(/(?:href|src|srcset)="([^"]+)"/g)) links.push(href);
    }
  });
  return links;
}

const anchors = new Map<string, ReadonlySet<string>>();

function anchorsOf(path: string): ReadonlySet<string> {
  const known = anchors.get(path);
  if (known) return known;
  const markdown = readFileSync(path, "utf8");
  const named = [...markdown.matchAll(/<a id="([^"]+)">/g)].flatMap(([, id = ""]) => id);
  const found = new Set([...headings(markdown).map(({ anchor }) => anchor), ...named]);
  anchors.set(path, found);
  return found;
}

/** The fault of a link. Undefined for a valid link. */
function fault(link: string, path: string): string | undefined {
  if (/^[a-z]+:/i.test(link)) {
    return URL.canParse(link) && /^(https:\/\/[\w-]+(\.[\w-]+)+|mailto:)/.test(link)
      ? undefined
      : "is not an https address";
  }
  const [file = "", anchor] = link.split("#", 2);
  const target = file === "" ? path : join(dirname(path), decodeURIComponent(file));
  if (relative(".", target).startsWith("..")) return "leads out of the repository";
  if (!existsSync(target)) return "has no target";
  if (anchor === undefined) return undefined;
  if (statSync(target).isDirectory() || !target.endsWith(".md")) return "names an anchor where none can be";
  return anchorsOf(target).has(anchor) ? undefined : `finds no #${anchor}`;
}

function faults({ path, markdown }: Text): readonly string[] {
  return linksOf(markdown).flatMap((link) => {
    const wrong = fault(link, path);
    return wrong === undefined ? [] : [`${path}: ${link} ${wrong}`];
  });
}

describe("links", () => {
  it.each([...pages, ...notebooks])("of $path have a target", (page) => {
    expect(faults(page)).toEqual([]);
  });

  it.each([
    "[x](nowhere.md)",
    "[x](../outside.md)",
    "[x](#no-such-heading)",
    "[x](docs/glossary.md#no-such-heading)",
    "[x](docs#anchor)",
    "![x](docs/images/none.png)",
    '<img src="docs/images/none.png">',
    "[x](http://example.com/)",
    "[x](https://nodots/)",
  ])("that are broken are found: %s", (markdown) => {
    expect(faults({ path: "README.md", markdown })).toHaveLength(1);
  });
});
