import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "arquero";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tableStyle } from "../../../../src/tables/display/html/render-table.js";
import { toMimeBundle } from "../../../../src/tables/display/to-mime-bundle.js";
import { findBrowser } from "../../../support/browser.js";
import { openBrowser } from "../../../support/open-browser.js";

const browserPath = findBrowser();
const folder = join(import.meta.dirname, "../../../../src/notebook/widget/page");
const pictures = join(import.meta.dirname, "../../../out/widgets");
const source = readFileSync(join(folder, "control.js"), "utf8");
const style = readFileSync(join(folder, "control.css"), "utf8");

/** Anywidget's host of a module: a model with its listeners, which records saved values. */
const host = `async (source, state) => {
  const { default: module } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const listeners = new Map();
  globalThis.ran = [];
  globalThis.saved = [];
  globalThis.listening = () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0);
  globalThis.model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => saved.push(state.at),
    on: (name, listener) => listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
    off: (name, listener) => listeners.get(name)?.delete(listener),
  };
  globalThis.change = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      state[name] = value;
      for (const listener of listeners.get("change:" + name) ?? []) listener();
    }
  };
  globalThis.restart = () => { for (const listener of listeners.get("comm_live_update") ?? []) listener(); };
  globalThis.sent = [];
  globalThis.model.send = (message) => sent.push(message);
  globalThis.answer = (message) => { for (const listener of listeners.get("msg:custom") ?? []) listener(message, []); };
  globalThis.leave = module.render({ model, el: document.getElementById("el") });
}`;

const dates = ["2026-01-01", "2026-02-01", "<b>2026</b>", "2026-04-01"];
const slider = { kind: "slider", label: "Date <i>", texts: dates, at: 3, html: "<p>first</p>", busy: false };

describe.runIf(browserPath)("a control in a page", () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 400, height: 500 } });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("request", (request) => {
      if (!/^(blob|data|about):/.test(request.url())) complaints.push(request.url());
    });
  });
  afterAll(() => browser?.close());

  async function show(state: object): Promise<void> {
    complaints.length = 0;
    const scheme = "<style>:root { color-scheme: light dark; } body { margin: 8px; }</style>";
    await page.setContent(`<!doctype html>${scheme}<style>${style}</style><div id="el"></div>`);
    await page.evaluate(`(${host})(${JSON.stringify(source)}, ${JSON.stringify(state)})`);
  }
  const saved = () => page.evaluate<unknown[]>("saved");
  /** Waits until an image and a frame after the output have loaded, and so the output. */
  const loaded = () =>
    page.evaluate(`(async () => {
      const until = (element, event) => new Promise((done) => element.addEventListener(event, done));
      const [image, frame] = ["img", "iframe"].map((name) => document.createElement(name));
      const both = Promise.all([until(image, "error"), until(frame, "load")]);
      Object.assign(image, { src: "data:," });
      Object.assign(frame, { srcdoc: "<p>" });
      document.body.append(image, frame);
      await both;
    })()`);
  /** Runs the timers of the control. The clock of the page is paused otherwise. */
  const settled = () => page.clock.runFor(1000);

  test("has a label, announces its value, and moves by keys", async () => {
    await show(slider);
    const range = page.getByLabel("Date <i>");
    expect(await range.getAttribute("aria-valuetext")).toBe("2026-04-01");
    await range.press("ArrowLeft");
    expect(await page.locator(".siteframe-control-value").textContent()).toBe("<b>2026</b>");
    await settled();
    expect(await saved()).toEqual([2]);
    await range.press("Home");
    await settled();
    expect(await saved()).toEqual([2, 0]);
    expect(complaints).toEqual([]);
  });

  test("sends the last value of a drag", async () => {
    await show({ kind: "slider", label: "N", min: 0, max: 1000, step: 1, at: 0, html: "", busy: false });
    const box = await page.locator("input").boundingBox();
    if (!box) throw new Error("the slider has no place");
    await page.mouse.move(box.x + 8, box.y + box.height / 2);
    await page.mouse.down();
    for (let x = 8; x < box.width - 20; x += 4) await page.mouse.move(box.x + x, box.y + box.height / 2);
    expect(await saved()).toEqual([]);
    await page.mouse.up();
    await settled();
    const rest = Number(await page.locator("input").inputValue());
    expect(rest).toBeGreaterThan(800);
    expect(await saved()).toEqual([rest]);
  });

  test("follows the kernel and other pages, except while it is moved", async () => {
    await show(slider);
    await page.evaluate("change({ at: 1, html: '<p>second</p>', busy: true })");
    expect(await page.locator("input").inputValue()).toBe("1");
    await expect.poll(() => page.locator(".siteframe-control-output").textContent()).toBe("second");
    expect(await page.getByRole("status").textContent()).toBe("…");
    // In one step, since a value is sent soon after its change.
    const moved = `const input = document.querySelector("input");
      input.value = "3";
      input.dispatchEvent(new Event("input"));
      change({ at: 0, busy: false });`;
    await page.evaluate(`(() => { ${moved} })()`);
    expect(await page.locator("input").inputValue()).toBe("3");
    expect(await page.getByRole("status").textContent()).toBe("");
    await page.evaluate("leave()");
    expect(await page.evaluate("listening()")).toBe(0);
  });

  test("aligns the numbers of a table, whose style is removed", async () => {
    const bundle = await toMimeBundle(table({ name: ["a", "b"], loss: [1.5, null] }));
    await show({ ...slider, html: bundle["text/html"] });
    await page.addStyleTag({ content: tableStyle() });
    const aligned = () =>
      page
        .locator(".siteframe-table :is(th, td)")
        .evaluateAll((all) => all.map((one) => one.ownerDocument.defaultView?.getComputedStyle(one).textAlign));
    await expect.poll(aligned).toEqual(["left", "right", "left", "right", "left", "right"]);
    await page.screenshot({ path: join(pictures, "control-table.png") });
  });

  test("is disabled after its kernel has ended, with a hint", async () => {
    await show({ ...slider, busy: true });
    expect(await page.locator("input").isDisabled()).toBe(false);
    await page.evaluate("restart()");
    expect(await page.locator("input").isDisabled()).toBe(true);
    expect(await page.getByRole("status").textContent()).toBe("Run the cell to use it.");
    expect(await page.locator(".siteframe-control-output").getAttribute("aria-busy")).toBe("false");
    await page.screenshot({ path: join(pictures, "control-of-ended-kernel.png") });
  });

  test("handles its keys, and leaves others to the notebook", async () => {
    await show(slider);
    await page.evaluate("globalThis.heard = []; addEventListener('keydown', ({ key }) => heard.push(key))");
    const range = page.getByLabel("Date <i>");
    for (const key of ["ArrowLeft", "ArrowUp", "Home", "d", "Enter", "Escape", "Control+s", "F2"])
      await range.press(key);
    expect(await page.evaluate("heard")).toEqual(["Enter", "Escape", "Control", "s", "F2"]);
    await settled();
    expect((await saved()).at(-1)).toBe(0);
    await show({ kind: "select", label: "Basemap", texts: ["a", "b", "c"], at: 0, html: "", busy: false });
    await page.evaluate("globalThis.heard = []; addEventListener('keydown', ({ key }) => heard.push(key))");
    await page.getByLabel("Basemap").press("c");
    await settled();
    expect(await saved()).toEqual([2]);
    expect(await page.evaluate("heard")).toEqual([]);
  });

  test("forwards the requests of tables, and each answer to its table", async () => {
    const asks = (name: string) => `<script>
      addEventListener("message", ({ data }) => { document.title = JSON.stringify(data); });
      for (const type of ["hello", "other"]) parent.postMessage({ siteframe: "table", version: 1, type, table: "${name}" }, "*");
      parent.postMessage("text", "*"); parent.postMessage(null, "*");</script>`;
    const frame = (name: string) => `<iframe sandbox="allow-scripts" srcdoc='${asks(name)}'></iframe>`;
    await show({ ...slider, html: `${frame("t1")}${frame("t2")}` });
    interface Sent {
      readonly table: { readonly type: string; readonly table: string };
      readonly page: string;
      readonly frame: number;
    }
    const sent = () => page.evaluate<Sent[]>("sent");
    await expect
      .poll(async () => (await sent()).map(({ table }) => [table.type, table.table]).sort())
      .toEqual([
        ["hello", "t1"],
        ["hello", "t2"],
      ]);
    const answered = (place: number) => page.frames()[place]?.title();
    const [first, second] = (await sent()).toSorted((a, b) => a.table.table.localeCompare(b.table.table));
    const answer = (to: Sent | undefined, table: unknown, changes = {}) =>
      page.evaluate(`answer(${JSON.stringify({ ...to, table, ...changes })})`);
    await answer(second, "of another page", { page: "other" });
    await answer(second, { rows: 2 });
    await answer(first, { rows: 1 });
    await expect.poll(() => Promise.all([answered(1), answered(2)])).toEqual(['{"rows":1}', '{"rows":2}']);
    // Messages of other places, and after its removal, are ignored.
    await page.evaluate(`postMessage({ siteframe: "table", version: 1, type: "hello", table: "t3" }, "*")`);
    await page.evaluate("leave()");
    await page.evaluate("document.querySelector('iframe').srcdoc += ' '");
    await loaded();
    expect(await sent()).toHaveLength(2);
  });

  test("keeps the states of views in the model, and returns them to the next output", async () => {
    const view = (save: string) =>
      `<iframe sandbox="allow-scripts" srcdoc='<script>
        addEventListener("message", ({ data }) => { document.title = JSON.stringify(data); });
        const send = (type, state) => parent.postMessage({ siteframe: "state", version: 1, type, state }, "*");
        ${save ? `send("save", { find: "${save}" });` : 'send("hello");'}</script>'></iframe>`;
    await show({ ...slider, html: `${view("a")}${view("b")}` });
    await expect.poll(() => page.evaluate("model.get('views')")).toEqual({ 0: { find: "a" }, 1: { find: "b" } });
    await page.evaluate(`change({ html: ${JSON.stringify(`${view("")}${view("")}`)} })`);
    const titles = () => Promise.all([1, 2].map((index) => page.frames()[index]?.title()));
    const message = (find: string) =>
      JSON.stringify({ siteframe: "state", version: 1, type: "state", state: { find } });
    await expect.poll(titles).toEqual([message("a"), message("b")]);
  });

  test("shows the last of several outputs", async () => {
    await show(slider);
    const image = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>";
    await page.evaluate(`change({ html: "<p>old</p><img src=\\"${image}\\">" }); change({ html: "<p>new</p>" })`);
    const shown = () => page.locator(".siteframe-control-output").textContent();
    await expect.poll(shown).toBe("new");
    await loaded();
    expect(await shown()).toBe("new");
  });

  test.each([
    ["a script", "<script>ran.push(1)</script>"],
    ["a handler", '<img src="data:," onerror="ran.push(1)">'],
    ["a handler in a drawing", '<svg onload="ran.push(1)"><circle r="1"/><script>ran.push(1)</script></svg>'],
    ["a handler of a detail", '<details open ontoggle="ran.push(1)">d</details>'],
    ["a frame without a sandbox", '<iframe srcdoc="<script>parent.ran.push(1)</script>"></iframe>'],
    [
      "a frame with an origin",
      '<iframe sandbox="allow-scripts allow-same-origin" srcdoc="<script>parent.ran.push(1)</script>"></iframe>',
    ],
    ["an object", '<object data="data:text/html,<script>parent.ran.push(1)</script>"></object>'],
    ["a link", '<a id="x" href="java\tscript:ran.push(1)">x</a>'],
    [
      "a link that is set later",
      '<svg><a id="x"><set attributeName="href" to="javascript:ran.push(1)"/><text y="20">x</text></a></svg>',
    ],
    ["a form", '<form action="javascript:ran.push(1)"><button id="x">x</button></form>'],
    ["a template", '<template><img src="data:," onerror="ran.push(1)"></template>'],
  ])("runs nothing of %s", async (_, html) => {
    await show({ ...slider, html: `<p>before</p>${html}` });
    await page.getByText("before").waitFor();
    await page
      .locator("#x")
      .click({ timeout: 1000 })
      .catch(() => undefined);
    await loaded();
    expect(await page.evaluate("ran")).toEqual([]);
  });

  test("keeps the frame of a view, without an origin", async () => {
    const inner = "<script>document.title = 'live'; try { parent.ran.push(1) } catch {}</script>";
    await show({ ...slider, html: `<iframe sandbox="allow-scripts allow-same-origin" srcdoc="${inner}"></iframe>` });
    expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-scripts");
    await expect.poll(() => page.frames().at(-1)?.title()).toBe("live");
    expect(await page.evaluate("ran")).toEqual([]);
  });

  test("sends a date after it is typed", async () => {
    await show({ kind: "date", label: "As of", min: "2020-01-01", max: "", at: "2026-01-31", html: "", busy: false });
    await page.getByLabel("As of").focus();
    await page.keyboard.type("02282025");
    expect(await saved()).toEqual([]);
    await settled();
    expect(await saved()).toEqual(["2025-02-28"]);
  });

  test.each(["light", "dark"] as const)("fits 400 pixels, %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const wide = `<pre class="error"><strong>Error: ${"long ".repeat(60)}</strong></pre><pre>${"x".repeat(300)}</pre>`;
    await show({ ...slider, html: `${wide}<div style="width: 900px">wide</div>` });
    await page.getByText("wide").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
    await page.screenshot({ path: join(pictures, `control-${colorScheme}.png`) });
    const text = "getComputedStyle(document.querySelector('.siteframe-control')).color";
    expect(await page.evaluate(text)).toBe(colorScheme === "dark" ? "rgb(255, 255, 255)" : "rgb(0, 0, 0)");
  });
});
