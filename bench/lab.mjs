// How long after a key an error is underlined in JupyterLab, in a notebook of 100 cells, as the page sees it from frame to
// frame. Needs the .venv and the browser of `.ci/run`.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { installKernel } from "../modules/kernel/install/install-kernel.js";
import { installLabExtension } from "../modules/kernel/install/lab-extension.js";
import { cellText } from "./lsp/cell-text.mjs";

const [cellCount, edits, port] = [100, Number(process.argv[2] ?? 30), 18_765];
const folder = mkdtempSync(join(tmpdir(), "bench-lab-"));
const place = { type: "prefix", prefix: folder };
installKernel({ place, engine: "typescript" });
installLabExtension(place);
const cells = Array.from({ length: cellCount }, (_, index) => ({
  ...{ cell_type: "code", id: `c${index}`, metadata: {}, execution_count: null, outputs: [] },
  source: cellText(index).trimEnd(),
}));
const kernelspec = { name: "siteframe", display_name: "TypeScript (Siteframe)", language: "typescript" };
const notebooks = join(folder, "notebooks");
mkdirSync(notebooks);
writeFileSync(
  join(notebooks, "long.ipynb"),
  JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }),
);
const data = join(folder, "share", "jupyter");
const lab = spawn(
  ".venv/bin/python",
  [
    ...["-m", "jupyterlab", "--no-browser", "--allow-root", `--port=${port}`, "--IdentityProvider.token="],
    `--ServerApp.root_dir=${notebooks}`,
  ],
  {
    env: { ...process.env, JUPYTER_PATH: data, JUPYTER_DATA_DIR: data, JUPYTER_CONFIG_DIR: join(folder, "config") },
    stdio: "ignore",
  },
);
const url = `http://127.0.0.1:${port}`;
while (!(await fetch(`${url}/api`).catch(() => undefined))?.ok) await new Promise((next) => setTimeout(next, 200));
const browser = await chromium.launch({
  executablePath: process.env.SITEFRAME_BROWSER ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.goto(`${url}/lab/tree/long.ipynb?reset`);
  const cell = page.locator(".jp-Notebook .jp-CodeCell").nth(2);
  await cell.waitFor();
  await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
  const opened = performance.now();
  await cell.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("x");
  await cell.locator(".siteframe-error").first().waitFor({ timeout: 60_000 });
  console.log(`first error after the cursor came: ${Math.round(performance.now() - opened)} ms`);
  await page.keyboard.press("Backspace");
  await page.waitForTimeout(2000);
  await page.evaluate(() => {
    globalThis.times = [];
    const watch = ({ key }) => {
      if (key !== "x") return;
      const start = performance.now();
      const editor = document.activeElement;
      const look = () => {
        if (!editor.querySelector(".siteframe-error")) requestAnimationFrame(look);
        else globalThis.times.push(performance.now() - start);
      };
      requestAnimationFrame(look);
    };
    document.addEventListener("keydown", watch, true);
  });
  for (let round = 0; round < edits; round += 1) {
    await page.keyboard.press("x");
    await page.waitForTimeout(500);
    await page.keyboard.press("Backspace");
    await page.waitForTimeout(500);
  }
  const times = (await page.evaluate(() => globalThis.times)).sort((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0);
  console.log(`key to underline: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms (${times.length})`);
} finally {
  await browser.close();
  lab.kill();
  rmSync(folder, { recursive: true, force: true });
}
