// Makes the pictures of the docs from executed notebooks. Run `npm start` first; needs Chromium on the path.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseNotebook } from "../dist/notebook/file/read-notebook.js";
import { toHtml } from "../dist/notebook/page/to-html.js";

const pictures = [
  { name: "three-dates", notebook: "construction-progress", cells: ["map"], width: 1040, height: 620 },
  { notebook: "construction-progress", cells: ["map", "play"], width: 1040, height: 1560 },
];

const folder = mkdtempSync(join(tmpdir(), "siteframe-pictures-"));
mkdirSync("docs/images", { recursive: true });
try {
  for (const { notebook, name = notebook, cells, width, height } of pictures) {
    const executed = parseNotebook(readFileSync(`out/${notebook}.ipynb`, "utf8"));
    const page = join(folder, `${name}.html`);
    writeFileSync(page, toHtml({ ...executed, cells: executed.cells.filter(({ id }) => cells.includes(id)) }));
    execFileSync("chromium", [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--no-first-run",
      "--disable-background-networking",
      `--user-data-dir=${join(folder, "profile")}`,
      `--window-size=${width},${height}`,
      `--screenshot=${resolve("docs/images", `${name}.png`)}`,
      `file://${page}`,
    ]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
