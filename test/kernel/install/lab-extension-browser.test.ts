import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installKernel } from "../../../src/kernel/install/install-kernel.js";
import { installLabExtension } from "../../../src/kernel/install/lab-extension.js";
import { findBrowser } from "../../support/browser.js";
import { notebookText } from "../../support/notebook-text.js";
import { openBrowser } from "../../support/open-browser.js";
import { findPython, type Python } from "../../support/python.js";
import { restartKernel } from "../../support/restart-kernel.js";
import { runLabCell } from "../../support/run-lab-cell.js";
import { type Lab, startLab } from "../../support/start-lab.js";
import { testedEngine } from "../../support/tested-engine.js";
import { everyView, type NamedBundle } from "../../tables/display/every-view.js";
import { hoverAnew } from "../../tables/display/hover-anew.js";
import { watchPage } from "../../tables/display/watch-page.js";
import { hostileFrames } from "./hostile-frames.js";

const browserPath = findBrowser();
const found = findPython("jupyterlab");
const viewType = "application/vnd.siteframe.view.v1+json";

/** Answers like the kernel of a table, and includes the received message. */
const answeringCell = `comms.register("siteframe.table", (comm, opened) => {
  const hello = opened.data as { table: string };
  comm.onMessage = ({ data }) => comm.send({ siteframe: "table", version: 1, type: "answer", table: hello.table, got: data });
  comm.send({ siteframe: "table", version: 1, type: "hello", table: hello.table });
});`;

/** A frame that sends requests like a table, and shows the received messages. */
const askingFrame = `<body><p id="heard"></p><script>
  const say = (type, more) => parent.postMessage({ siteframe: "table", version: 1, type, table: "t1", ...more }, "*");
  addEventListener("message", ({ data }) => {
    document.getElementById("heard").append(data.type + (data.got ? ":" + data.got.id : "") + " ");
    if (data.type === "hello") say("ask", { id: 7 });
    if (data.type === "wake") say("hello");
  });
  say("hello");
</script></body>`;

describe.runIf(found && browserPath)("JupyterLab's extension in a browser", () => {
  let folder = "";
  let python: Python;
  let lab: Lab;
  let browser: Browser;
  let views: readonly NamedBundle[];
  let canary: Server;
  const requests: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteframe-lab-"));
    const place = { type: "prefix", prefix: folder } as const;
    installKernel({ place, engine: testedEngine });
    installLabExtension(place);
    const data = join(folder, "share", "jupyter");
    const base = found as Python;
    python = { ...base, env: { ...base.env, JUPYTER_PATH: data, JUPYTER_DATA_DIR: data } };
    canary = createServer(({ url = "" }, response) => {
      requests.push(url);
      response.end("<script>parent.postMessage('went away', '*')</script>");
    }).listen(0, "127.0.0.1");
    views = await everyView();
    const hostile = hostileFrames(`http://127.0.0.1:${(canary.address() as AddressInfo).port}`);
    const notebooks = {
      views: views.map(({ bundle }) => ({ source: "", bundles: [bundle] })),
      trusted: [...views.map(({ bundle }) => ({ source: "", bundles: [bundle] })), { source: "// trusted" }],
      hostile: hostile.map(({ html }) => ({ source: "", bundles: [{ "text/html": html, [viewType]: {} }] })),
      bare: [{ source: "", bundles: [{ "text/plain": "<b>only</b> text", [viewType]: {} }] }],
      million: [
        {
          source:
            "const n = Array.from({ length: 1_000_000 }, (_, row) => row);\naq.table({ n, name: n.map((row) => 'row ' + row) })",
        },
      ],
      asking: [answeringCell, `html(${JSON.stringify(wrapped(askingFrame))})`].map((source) => ({ source })),
    };
    for (const [name, cells] of Object.entries(notebooks)) {
      writeFileSync(join(folder, `${name}.ipynb`), notebookText(cells));
    }
    execFileSync(python.program, ["-m", "jupyter", "trust", join(folder, "trusted.ipynb")], { env: python.env });
    lab = await startLab(python, folder);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await lab?.stop();
    canary?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(name: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1200, height: 6000 }, colorScheme: null });
    await page.addInitScript(
      `window.heard = []; addEventListener("message", ({ data }) => data?.siteframe ?? window.heard.push(data));`,
    );
    await page.goto(`${lab.url}/lab/tree/${name}.ipynb?reset`);
    await page.locator(".jp-Notebook .jp-OutputArea-output").first().waitFor();
    return page;
  }

  test("is listed as enabled and in order", () => {
    const main = "from jupyterlab.labextensions import main; main()";
    const listed = execFileSync("sh", ["-c", `"${python.program}" -c "${main}" list 2>&1`], {
      env: python.env,
      encoding: "utf8",
    });
    expect(listed).toMatch(/siteframe v\S+ .*enabled.* .*OK/);
  });

  test.each([
    ["not trusted", "views"],
    ["trusted", "trusted"],
  ])("every kind of output is live in a notebook that is %s", async (_, name) => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 6000 }, colorScheme: null });
    const { problems } = watchPage(page, [lab.url, lab.url.replace("http", "ws")]);
    await page.goto(`${lab.url}/lab/tree/${name}.ipynb?reset`);
    for (const [index, { kind }] of views.entries()) {
      const cell = page.locator(".jp-Notebook .jp-CodeCell").nth(index);
      await cell.locator("iframe").contentFrame().locator("html.live").waitFor({ state: "attached" });
      const boxes = (inner: string) => cell.locator(inner).boundingBox();
      const differs = async () => {
        const [still, over] = await Promise.all([boxes(".siteframe-view"), boxes("iframe")]);
        if (!still || !over || over.height <= 100) return "no place";
        return (["x", "y", "width", "height"] as const).filter((side) => still[side] !== over[side]).join();
      };
      await expect.poll(differs, { message: kind }).toBe("");
    }
    const chart = page.locator(".jp-CodeCell").first().locator("iframe").contentFrame();
    const tooltip = async () => {
      await hoverAnew(page, chart.locator("[data-mark] rect").first());
      return chart.locator("#tip").innerText();
    };
    await expect.poll(tooltip).toMatch(/<img src=x[\s\S]*12/);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => page.locator(".jp-OutputArea iframe:visible").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  test("hostile outputs run no scripts and send no requests, and their fallback is shown", async () => {
    const page = await open("hostile");
    for (const [index, { name, isFramed }] of hostileFrames("").entries()) {
      const output = page.locator(".jp-CodeCell").nth(index).locator(".jp-OutputArea-output");
      await expect.poll(() => output.innerText(), { message: name }).toContain(`Still of ${name}`);
      await expect.poll(() => output.locator("iframe").count(), { message: name }).toBe(isFramed ? 1 : 0);
    }
    // The message of each loaded frame would arrive after all messages of its scripts.
    const frames = page.frames().slice(1);
    for (const frame of frames) {
      await frame.waitForLoadState();
      await frame.evaluate(`parent.postMessage("loaded", "*")`);
    }
    const loaded = frames.map(() => "loaded");
    await expect.poll(() => page.evaluate<string[]>("window.heard")).toEqual(loaded);
    expect(requests).toEqual([]);
    const sandboxes = await page
      .locator("iframe")
      .evaluateAll((all) => all.map((frame) => frame.getAttribute("sandbox")));
    expect(new Set(sandboxes)).toEqual(new Set(["allow-scripts"]));
    await page.close();
  });

  test("plain text without HTML is shown as text", async () => {
    const page = await open("bare");
    await expect.poll(() => page.locator(".jp-OutputArea-output").innerText()).toContain("<b>only</b> text");
    await page.close();
  });

  test("a frame reaches its kernel, and is notified when the kernel ends and restarts", async () => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    await page.goto(`${lab.url}/lab/tree/asking.ipynb?reset`);
    await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
    for (const index of [0, 1]) await runLabCell(page, index);
    const heard = page.locator(".jp-OutputArea iframe").contentFrame().locator("#heard");
    // A frame that loaded before its output listened is woken, and sends hello again.
    await expect.poll(() => heard.textContent()).toMatch(/^(wake |hello |answer:7 )*answer:7 $/);
    await restartKernel(page);
    // It sends hello after each wake. The new kernel does not have the table.
    await expect
      .poll(() => heard.textContent())
      .toMatch(/^(wake |hello |answer:7 )*answer:7 (bye )+(wake |gone |bye )*wake (gone )+$/);
    const times = async (word: string) => (await heard.allInnerTexts()).join().split(word).length;
    expect(await times("gone")).toBeLessThanOrEqual(await times("wake"));
    await page.close();
  });

  test("a table of a million rows shows its last row from the kernel", async () => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    const { problems } = watchPage(page, [lab.url]);
    await page.goto(`${lab.url}/lab/tree/million.ipynb?reset`);
    await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
    await runLabCell(page, 0);
    const frame = page.locator(".jp-OutputArea iframe").contentFrame();
    await frame.locator("tbody tr:not(.space) td").first().waitFor({ timeout: 60_000 });
    await expect.poll(() => frame.locator("#count").textContent()).toMatch(/in the kernel/);
    await frame.locator("tbody tr:not(.space) td").first().click();
    await page.keyboard.press("Control+End");
    await expect.poll(() => frame.locator("td:focus").textContent()).toBe("row 999999");
    expect(problems).toEqual([]);
    await page.close();
  });
});

function wrapped(page: string): string {
  const srcdoc = page.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<div class="siteframe-view"><iframe sandbox="allow-scripts" srcdoc="${srcdoc}"></iframe></div>`;
}
