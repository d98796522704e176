// The pages of the site, and where a file of the repository is in it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { headings } from "../scripts/reference/headings.mjs";

export const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

export const { version } = manifest;
export const repositoryUrl = manifest.repository.url.replace(/^git\+|\.git$/g, "");

/** Notebooks whose executed pages `write-examples.mjs` puts into the site. */
export const gallery = "docs/gallery.ipynb";
const notebooks = readdirSync(join(root, "notebooks")).filter((name) => name.endsWith(".ipynb"));
const examples = [gallery, ...notebooks.map((name) => `notebooks/${name}`)];

/** Pages of the guide in the order of the menu. */
const guide = [
  "README",
  "layers",
  "thermography",
  "time",
  "tickets",
  "reports",
  "changes",
  "reading",
  "snapshots",
  "python",
  "scale",
  "plots",
  "widgets",
  "kernel",
  "while-typing",
  "notebooks",
  "mcp",
  "serve",
  "comparison",
].map((name) => `docs/guide/${name}.md`);
const unlisted = readdirSync(join(root, "docs/guide")).filter((name) => !guide.includes(`docs/guide/${name}`));
if (unlisted.length > 0) throw new Error(`site/pages.mjs: add ${unlisted.join(", ")} to the list of guides.`);

const api = ["README", "siteframe", "siteframe/arquero", "siteframe/plot", "siteframe/widget", "service"];

export const menu = [
  { text: "Guide", items: ["README.md", ...guide].map(page) },
  { text: "Examples", items: examples.map(example) },
  {
    text: "Reference",
    items: [...api.map((name) => `docs/api/${name}.md`), "docs/cli.md", "docs/glossary.md"].map(page),
  },
  {
    text: "Project",
    items: ["docs/decisions/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(page),
  },
];

function page(path) {
  const text = { "README.md": "Overview", "docs/guide/README.md": "Tasks" }[path] ?? headings(read(path))[0].text;
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

/** A Markdown file's place in the site: `docs/guide/README.md` is `guide/index.md`. */
export function placeOf(path) {
  return path
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase())
    .replace(/^docs\//, "")
    .replace(/readme\.md$/i, "index.md");
}

/** The address of a file in the repository: a page of the site, or the file in the repository's website. */
export function addressOf(path) {
  if (!existsSync(join(root, path))) throw new Error(`Missing file: ${path}.`);
  if (examples.includes(path)) return `/examples/${basename(path, ".ipynb")}.html`;
  const isPage = /^(docs\/.+|[A-Z]+)\.md$/.test(path);
  return isPage ? `/${placeOf(path)}` : `${repositoryUrl}/blob/main/${path}`;
}
