import { posix, relative } from "node:path";
import { Anchors } from "../../modules/notebook/page/page-headings.js";
import { addressOf, menu, placeOf, repositoryUrl, root, version } from "../pages.mjs";

/** Links of Markdown are paths in the repository, and anchors are those of GitHub. */
function linkPages(md) {
  md.core.ruler.before("anchor", "link-pages", ({ tokens, env }) => {
    const folder = posix.dirname(relative(root, env.realPath ?? env.path).replaceAll("\\", "/"));
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : null;
      if (href === null || /^([a-z]+:|#)/i.test(href)) continue;
      const [path, anchor] = href.split("#");
      const address = addressOf(posix.join(folder, decodeURIComponent(path)));
      token.attrSet("href", anchor === undefined ? address : `${address}#${anchor}`);
      if (/^\/(examples\/|llms)/.test(address)) token.attrSet("target", "_self");
    }
    nameHeadings(tokens);
  });
}

/** The reference names its headings with `<a id="…">` in front of them: move the name to the heading. */
function nameHeadings(tokens) {
  for (const [index, token] of tokens.entries()) {
    const [, id] = /^<a id="([^"]+)"><\/a>\s*$/.exec(token.type === "html_block" ? token.content : "") ?? [];
    const heading = tokens[index + 1];
    if (id === undefined || heading?.type !== "heading_open") continue;
    heading.attrSet("id", id);
    token.content = "";
  }
}

/** Indented code scrolls as fenced code does. */
function fenceCode({ renderer: { rules } }) {
  rules.code_block = (...all) => rules.fence(...all);
}

/** Vue evaluates `{{ … }}` in pages. Ours show it. */
function keepBraces({ renderer: { rules } }) {
  for (const name of ["text", "code_inline"]) {
    const render = rules[name];
    rules[name] = (...all) => render(...all).replaceAll("{{", "&#123;&#123;");
  }
}

/** Pages are outside this folder, which has Vue. While they are rendered, Node finds it. */
const findVue = {
  name: "find-vue",
  enforce: "pre",
  resolveId: (id, _, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined),
};

/** Pages opened as files have no scripts of VitePress. Their styles and links work with relative addresses. */
const openAsFile = (depth) => `<script>
if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () => {
    for (const name of ["href", "src"]) {
      for (const element of document.querySelectorAll("[" + name + '^="/"]')) {
        const path = element.getAttribute(name).slice(1).replace(/(^|\\/)(?=#|$)/, "$1index.html");
        element.setAttribute(name, "${"../".repeat(depth)}" + path);
      }
    }
  });
}
</script>`;

export default {
  title: "Siteframe",
  description: "Dataframes with readable columns, and the value of any property at any date, from a site data service.",
  lang: "en",
  srcDir: root,
  outDir: "../out/site",
  srcExclude: ["!(docs)/**/*.md"],
  rewrites: placeOf,
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["style", {}, ":root { --vp-code-lang-color: var(--vp-c-text-2); }"],
  ],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // GitHub shows braces as they are.
    attrs: { disable: true },
    anchor: { slugify: (text) => new Anchors().take(text) },
    config: (md) => md.disable("emoji").use(linkPages).use(fenceCode).use(keepBraces),
  },
  vite: { plugins: [findVue], build: { chunkSizeWarningLimit: 1500 } },
  transformHtml: (html, _, { page }) => html.replace("</head>", `${openAsFile(page.split("/").length - 1)}</head>`),
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/tutorial/1-first-table" },
      { text: "Tasks", link: "/documentation" },
      { text: "Reference", link: "/api/" },
      { text: version, link: "/changelog" },
    ],
    sidebar: menu,
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repositoryUrl, ariaLabel: "Repository" }],
  },
};
