// The pages of the site, and where a file of the repository is in it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { headings } from "../scripts/reference/headings.mjs";
import { sections } from "../scripts/reference/pages.mjs";

export const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

export const { version } = manifest;
export const repositoryUrl = manifest.repository.url.replace(/^git\+|\.git$/g, "");

/** Notebooks whose executed pages `write-examples.mjs` puts into the site. */
export const gallery = "docs/gallery.ipynb";
const notebooks = readdirSync(join(root, "notebooks")).filter((name) => name.endsWith(".ipynb"));
const examples = [gallery, ...notebooks.map((name) => `notebooks/${name}`)];

const chapters = /^docs\/tutorial\/(\d)/;
const itemsOf = ({ pages = [], groups = [] }) => [...pages.map(page), ...groups.map(groupOf)];

/** VitePress nests two buttons in the title of a group, unless the title is a link. */
function groupOf({ text, pages }) {
  const items = pages.map(page);
  return { text, link: items[0].link, collapsed: true, items };
}

const [tutorial, ...others] = sections.map((section) => ({ text: section.text, items: itemsOf(section) }));

export const menu = [
  { ...tutorial, items: [page("README.md"), ...tutorial.items] },
  ...others.slice(0, 1),
  { text: "Examples", items: examples.map(example) },
  ...others.slice(1),
];

function page(path) {
  const [, chapter] = chapters.exec(path) ?? [];
  const title = { "README.md": "Overview", "SKILL.md": "Assistants" }[path] ?? headings(read(path))[0].text;
  const text = chapter ? `${chapter}. ${title}` : title;
  return { text, link: `/${placeOf(path)}` };
}

function example(path) {
  // Not a page of VitePress: the browser loads it.
  return { text: titleOf(path), link: addressOf(path), target: "_self" };
}

/** The first heading of a notebook. */
export function titleOf(path) {
  const { cells } = JSON.parse(read(path));
  const texts = cells.filter(({ cell_type }) => cell_type === "markdown").map(({ source }) => [source].flat().join(""));
  return /^# (.+)$/m.exec(texts.join("\n"))?.[1] ?? basename(path, ".ipynb");
}

/** A Markdown file's place in the site: `docs/api/README.md` is `api/index.md`, and `README.md` is the home page. */
export function placeOf(path) {
  if (path === "docs/README.md") return "documentation.md";
  return path
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase())
    .replace(/^docs\//, "")
    .replace(/readme\.md$/i, "index.md");
}

/** The address of a file in the repository: a page of the site, or the file in the repository's website. */
export function addressOf(path) {
  if (!existsSync(join(root, path))) throw new Error(`Missing file: ${path}.`);
  if (examples.includes(path)) return `/examples/${basename(path, ".ipynb")}.html`;
  if (/^docs\/llms(-full)?\.txt$/.test(path)) return `/${basename(path)}`;
  const isPage = /^(docs\/.+|[A-Z]+)\.md$/.test(path);
  return isPage ? `/${placeOf(path)}` : `${repositoryUrl}/blob/main/${path}`;
}
