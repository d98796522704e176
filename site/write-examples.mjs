// Adds executed notebooks to a built site: the pages of the demo, the gallery of all figures, llms.txt and llms-full.txt.
// node site/write-examples.mjs FOLDER_OF_THE_SITE [FOLDER_OF_THE_DEMO]; without the second, the demo runs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { openServedStore } from "../modules/cli/commands/serve-command.js";
import { toHtml } from "../modules/notebook/page/to-html.js";
import { runNotebook } from "../modules/notebook/run/run-notebook.js";
import { startService } from "../modules/service/start-service.js";
import { addressOf, gallery, root, titleOf } from "./pages.mjs";

const [site, demo = runDemo()] = process.argv.slice(2);
const examples = join(site, "examples");

function runDemo() {
  const folder = join(root, "out");
  const output = ["ignore", "ignore", "inherit"];
  execFileSync(process.execPath, [join(root, "dist/cli/main.js"), "demo", "--out", folder], { stdio: output });
  return folder;
}

/** Draws every figure again. */
async function galleryPage() {
  const { store, close } = await openServedStore(undefined, { features: 3000 });
  const service = await startService({ store, apiKeys: [{ key: "demo" }] });
  try {
    const env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: "demo" };
    const page = toHtml(await runNotebook(join(root, gallery), { env }), { title: titleOf(gallery) });
    return page.replace(/(?<=href=")[^":#]+\.md/g, (link) => {
      const address = addressOf(posix.join(posix.dirname(gallery), link));
      return `..${address.replace(/\.md$/, ".html")}`;
    });
  } finally {
    await service.close();
    await close();
  }
}

function write(name, html) {
  const back = '<p><a href="../index.html">Documentation</a></p>';
  writeFileSync(join(examples, name), html.replace("<body>", `<body>\n${back}`));
}

mkdirSync(examples, { recursive: true });
for (const name of readdirSync(demo).filter((each) => each.endsWith(".html"))) {
  write(name, readFileSync(join(demo, name), "utf8"));
}
write(`${basename(gallery, ".ipynb")}.html`, await galleryPage());

/** Links of llms.txt are paths in the repository: in the site they lead to its pages. */
for (const name of ["llms.txt", "llms-full.txt"]) {
  const text = readFileSync(join(root, "docs", name), "utf8").replace(/(?<=\]\()[^)#:\s]+\.md/g, (link) =>
    addressOf(posix.join("docs", link)).replace(/^\//, "").replace(/\.md$/, ".html"),
  );
  writeFileSync(join(site, name), text);
}
