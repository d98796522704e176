// Makes out/site of the Markdown in the repository: a page each, the pages of the demo, and an index to search. It opens as
// files, without a server, and asks for nothing from outside. A link that leads nowhere is an error.
// node scripts/make-site.mjs [folder] [folder of the demo's pages; without it, the demo runs]
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { Marked } from "marked";
import { openServedStore } from "../modules/cli/input/open-served-store.js";
import { highlightCode, toHtml } from "../modules/notebook/page/to-html.js";
import { runNotebook } from "../modules/notebook/run/run-notebook.js";
import { startService } from "../modules/service/start-service.js";
import { headings } from "./reference/headings.mjs";

const [out = join("out", "site"), demo] = process.argv.slice(2);
const { repository, version } = JSON.parse(readFileSync("package.json", "utf8"));
const repositoryUrl = repository.url.replace(/^git\+|\.git$/g, "");
const titleOf = (path) => headings(readFileSync(path, "utf8"))[0].text;
const all = (folder) => readdirSync(folder).filter((name) => /^(?!README).*\.md$/.test(name));
const inFolder = (folder) => ["README.md", ...all(folder)].map((name) => `${folder}/${name}`);

/** What is in the menu, in its order; the rest of the decisions is found from their list. */
const guides = [
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
];
const sections = [
  { name: "Guide", paths: ["README.md", ...["README", ...guides].map((name) => `docs/guide/${name}.md`)] },
  {
    name: "Reference",
    paths: [
      ...["README", "siteframe", "siteframe/arquero", "siteframe/plot", "siteframe/widget", "service"].map(
        (name) => `docs/api/${name}.md`,
      ),
      ...["docs/cli.md", "docs/glossary.md"],
    ],
  },
  { name: "Project", paths: ["docs/decisions/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"] },
];
const listed = sections.flatMap(({ paths }) => paths);
const paths = [...listed, ...inFolder("docs/decisions").filter((path) => !listed.includes(path))];
const forgotten = inFolder("docs/guide").filter((path) => !paths.includes(path));
if (forgotten.length > 0) throw new Error(`not in the menu of the site: ${forgotten.join(", ")}`);

const notebooks = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));
const gallery = "docs/gallery.ipynb";
const examples = [gallery, ...notebooks.map((name) => `notebooks/${name}`)].map((path) => ({
  href: `examples/${basename(path, ".ipynb")}.html`,
  path,
}));

/** Where a page stands in the site. */
function hrefOf(path) {
  const href = path === "README.md" ? "index.md" : path.replace(/^docs\//, "").replace(/README\.md$/, "index.md");
  return href.replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase()).replace(/\.md$/, ".html");
}

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const plainText = (html) =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#(\d+));/g, entity)
    .replace(/\s+/g, " ")
    .trim();

function entity(_, name, code) {
  return code ? String.fromCharCode(code) : { amp: "&", lt: "<", gt: ">", quot: '"' }[name];
}

/** The way from a page to another file of the site. */
function wayTo(from, href) {
  const [file, anchor] = href.split("#");
  return posix.relative(posix.dirname(from), file) + (anchor === undefined ? "" : `#${anchor}`);
}

/** Where a link of a Markdown page leads in the site; to the repository, if it leads to what is not in the site. */
function linkFrom(path, link, from = hrefOf(path)) {
  if (/^([a-z]+:|#)/i.test(link)) return link;
  const [file, anchor] = link.split("#");
  const target = posix.normalize(posix.join(posix.dirname(path), decodeURIComponent(file)));
  if (!existsSync(target)) throw new Error(`${path}: ${link} leads nowhere`);
  const example = examples.find((each) => each.path === target);
  const page = paths.includes(target) ? hrefOf(target) : example?.href;
  if (page) return wayTo(from, page + (anchor === undefined ? "" : `#${anchor}`));
  return `${repositoryUrl}/blob/main/${target}`;
}

/** A page's HTML, its headings, and what can be searched for in it. */
function render(path) {
  const markdown = readFileSync(path, "utf8");
  const named = new Set([...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id));
  const anchors = headings(markdown);
  let at = 0;
  const marked = new Marked({
    gfm: true,
    renderer: {
      code({ text, lang = "" }) {
        const code = /^(ts|typescript|json)\b/.test(lang) ? highlightCode(text) : escaped(text);
        return `<pre tabindex="0"><code>${code}</code></pre>\n`;
      },
      heading({ tokens, depth }) {
        const { anchor } = anchors[at++];
        const id = named.has(anchor) ? "" : ` id="${anchor}"`;
        const here = `<a class="here" href="#${anchor}" aria-label="Link to this heading">#</a>`;
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}${depth === 1 ? "" : here}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const more = title ? ` title="${escaped(title)}"` : "";
        return `<a href="${escaped(linkFrom(path, href))}"${more}>${this.parser.parseInline(tokens)}</a>`;
      },
      tablecell({ header, align, tokens }) {
        // A header that says nothing is none.
        const tag = header && tokens.length > 0 ? "th" : "td";
        return `<${tag}${align ? ` style="text-align: ${align}"` : ""}>${this.parser.parseInline(tokens)}</${tag}>\n`;
      },
      image({ href, text }) {
        const target = posix.join(posix.dirname(path), href);
        return `<img src="${wayTo(hrefOf(path), target.replace(/^docs\//, ""))}" alt="${escaped(text)}">`;
      },
    },
  });
  const html = marked
    .parse(markdown)
    .replaceAll("<table>", '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
  if (at !== anchors.length) throw new Error(`${path} has ${anchors.length} headings, of which ${at} were rendered`);
  return { html, anchors, found: searchable(path, html) };
}

/** The text below each heading. */
function searchable(path, html) {
  const page = titleOf(path);
  const parts = html.split(/(?=<h[1-6][ >])/);
  return parts.flatMap((part) => {
    const [, heading, rest] = /^<h[1-6].*?>(.*?)(?:<a class="here".*?)?<\/h[1-6]>([\s\S]*)$/.exec(part) ?? [];
    if (heading === undefined) return [];
    const anchor =
      / id="([^"]+)"/.exec(/^<h[^>]*>/.exec(part)[0])?.[1] ?? /class="here" href="#([^"]+)"/.exec(part)?.[1];
    const url = hrefOf(path) + (anchor && !part.startsWith("<h1") ? `#${anchor}` : "");
    return [{ url, page, heading: plainText(heading), text: plainText(rest) }];
  });
}

function menu(path, anchors) {
  const item = (each) => {
    const isHere = each === path;
    const within = isHere && anchors.filter(({ level }) => level === 2);
    const inner =
      within && within.length > 0
        ? `<ul>${within.map(({ text, anchor }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`).join("")}</ul>`
        : "";
    const name =
      each === "README.md" ? "What it is" : each === "docs/guide/README.md" ? "What you want to do" : titleOf(each);
    return `<li><a href="${wayTo(hrefOf(path), hrefOf(each))}"${isHere ? ' aria-current="page"' : ""}>${escaped(name)}</a>${inner}</li>`;
  };
  const groups = sections.map(({ name, paths: own }) => `<h2>${name}</h2><ul>${own.map(item).join("")}</ul>`);
  const links = examples.map(
    ({ href, path: notebook }) =>
      `<li><a href="${wayTo(hrefOf(path), href)}">${escaped(notebookTitle(notebook))}</a></li>`,
  );
  groups.splice(1, 0, `<h2>Examples</h2><ul>${links.join("")}</ul>`);
  return groups.join("\n");
}

function notebookTitle(path) {
  const { cells } = JSON.parse(readFileSync(path, "utf8"));
  const text = cells
    .filter(({ cell_type }) => cell_type === "markdown")
    .map(({ source }) => [source].flat().join(""))
    .join("\n");
  return /^# (.+)$/m.exec(text)?.[1] ?? basename(path, ".ipynb");
}

function turn(path) {
  const at = listed.indexOf(path);
  const link = (to, text) =>
    to && at >= 0 ? `<a href="${wayTo(hrefOf(path), hrefOf(to))}">${text(escaped(titleOf(to)))}</a>` : "<span></span>";
  return `<div class="turn">${link(listed[at - 1], (title) => `← ${title}`)}${link(listed[at + 1], (title) => `${title} →`)}</div>`;
}

function page(path, { html, anchors }) {
  const root = wayTo(hrefOf(path), "search.js").replace(/search\.js$/, "");
  const title = titleOf(path) === "Siteframe" ? "Siteframe" : `${titleOf(path)} · Siteframe`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}style.css">
<script src="${root}search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="name" href="${root}index.html">Siteframe <small>${version}</small></a>
<div class="search" role="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ul id="found" class="found" aria-label="Found" hidden></ul><span id="status" role="status"></span></div>
<button id="menu" type="button" aria-expanded="false" aria-controls="pages">Menu</button>
</header>
<div class="columns">
<nav id="pages" aria-label="Pages">
${menu(path, anchors)}
</nav>
<main id="content" tabindex="-1">
${html}${turn(path)}
</main>
</div>
</body>
</html>
`;
}

function put(href, text) {
  const file = join(out, href);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Every figure, drawn anew. */
async function putGallery(href) {
  const { store, close } = await openServedStore(undefined, { features: 3000 });
  const service = await startService({ store, apiKeys: [{ key: "demo" }] });
  try {
    const env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: "demo" };
    const html = toHtml(await runNotebook(gallery, { env }), { title: notebookTitle(gallery) });
    put(
      href,
      html.replace(/(?<=href=")[^":#]+\.md/g, (link) => linkFrom(gallery, link, href)),
    );
  } finally {
    await service.close();
    await close();
  }
}

/** The pages of the demo as they are, and the gallery, with a way back. */
async function putExamples() {
  const folder = join(out, "examples");
  if (demo === undefined) {
    const program = join("dist", "cli", "main.js");
    execFileSync(process.execPath, [program, "demo", "--out", folder], {
      stdio: ["ignore", "ignore", "inherit"],
      maxBuffer: 1e8,
    });
  } else {
    cpSync(demo, folder, { recursive: true });
  }
  await putGallery(examples[0].href);
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!name.endsWith(".html")) rmSync(file, { recursive: true });
    else
      writeFileSync(
        file,
        readFileSync(file, "utf8").replace("<body>", '<body>\n<p><a href="../index.html">Documentation</a></p>'),
      );
  }
}

rmSync(out, { recursive: true, force: true });
const found = [];
for (const path of paths) {
  const rendered = render(path);
  put(hrefOf(path), page(path, rendered));
  found.push(...rendered.found);
}
put("search-index.js", `window.siteframeSections = ${JSON.stringify(found)};\n`);
for (const name of ["style.css", "search.js"]) cpSync(join("scripts", "site", name), join(out, name));
cpSync(join("docs", "images"), join(out, "images"), { recursive: true });
cpSync(join("docs", "llms.txt"), join(out, "llms.txt"));
await putExamples();
console.log(
  `${paths.length} pages, ${examples.length} examples and ${found.length} places to find are in ${join(out, "index.html")}`,
);
