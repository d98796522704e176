import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";
import { findBrowser } from "../../../support/browser.js";
import { type Firefox, type FirefoxFrame, findFirefox, startFirefox } from "../../../support/firefox.js";
import { useBrowser } from "../../../support/use-browser.js";
import { hostileOutputs } from "./hostile-outputs.js";

const folder = join(import.meta.dirname, "../../../../src/notebook/widget/page");
const source = readFileSync(join(folder, "control.js"), "utf8").replace("export default {", "globalThis.control = {");
const style = readFileSync(join(folder, "control.css"), "utf8");

/** A page with one control, which records changes outside its output. */
const host = `<!doctype html><meta charset="utf-8"><title>host</title><style>${style}</style>
<style>body { margin: 0 } #probe { color: rgb(1, 2, 3); height: 40px } #el { max-height: 300px; overflow: auto }</style>
<form id="host" onsubmit="ran.push('sent'); return false"><input id="host-input"></form><div id="probe">probe</div><div id="el"></div>
<script>
globalThis.ran = [];
globalThis.alert = globalThis.confirm = globalThis.prompt = globalThis.print = () => ran.push("called");
const state = { kind: "slider", label: "N", min: 0, max: 9, step: 1, at: 0, html: "", busy: false };
const listeners = {};
globalThis.model = { get: (name) => state[name], set() {}, save_changes() {}, on: (name, f) => { listeners[name] = f; }, off() {} };
globalThis.change = (html) => { state.html = html; listeners["change:html"](); };
const own = { document, getElementById: document.getElementById, body: document.body, fetch, location: location.href };

/** Elements that may make the rest of an output their own text. */
const swallowing = /<(frameset|plaintext|xmp|textarea|select|title|noscript|style|script|svg|math|!--|div)/i;

let shown = 0;
/** Shows an output and waits until its end is there. */
globalThis.show = async (html, waitMs = 30_000) => {
  const mark = "end " + ++shown;
  change(html + "<p class=end>" + mark + "</p>");
  const output = document.querySelector(".siteframe-control-output");
  const isThere = () => output.querySelector("p.end")?.textContent === mark;
  for (const end = Date.now() + waitMs; !isThere() && Date.now() < end; ) await new Promise((done) => setTimeout(done, 5));
  return output;
};

/** Everything that is wrong when an output is shown and used. */
globalThis.judge = async (html) => {
  ran.length = 0;
  const problems = [];
  const output = await show(html, swallowing.test(html) ? 200 : 30_000);
  await new Promise((done) => setTimeout(done, output.querySelector("iframe") ? 60 : 8));
  for (const node of output.querySelectorAll("*")) {
    if (node.localName === "iframe") {
      if (!node.hasAttribute("sandbox") || /same-origin|top-nav|popups|forms|modals/.test(node.getAttribute("sandbox"))) problems.push("frame");
      if (node.hasAttribute("src")) problems.push("address of a frame");
      if (node.contentDocument) problems.push("frame with an origin");
    }
    if (/^(script|style|form|input|button|select|textarea|object|embed|base|link|meta|template|math|foreignObject|animate|set|video|audio|map|area)$/i.test(node.localName)) problems.push(node.localName);
    for (const { name, value } of node.attributes) {
      if (/^on|^data-|^(name|action|formaction|form|ping|download|background|is|slot|popovertarget)$/i.test(name)) problems.push(name);
      if (/href|src/.test(name) && name !== "srcdoc" && /script|^data:text|file:|blob:null/i.test(value.replace(/[\\s\\x00-\\x20]/g, "").replace(/^data:image[^,]*,.*/, ""))) problems.push(name + " " + value);
      if (name === "target" && value !== "_blank") problems.push("target");
    }
    for (const event of ["click", "mouseover", "pointerenter", "focus", "wheel", "animationstart", "toggle", "transitionend"]) {
      const leaves = node.localName === "a" && event === "click";
      if (leaves && /^(https?|mailto):/.test(node.href?.baseVal ?? node.href)) continue;
      node.dispatchEvent(new MouseEvent(event, { bubbles: true, cancelable: true }));
    }
  }
  const probe = document.elementFromPoint(5, document.getElementById("probe").getBoundingClientRect().top + 20);
  if (probe?.id !== "probe" || getComputedStyle(probe).color !== "rgb(1, 2, 3)") problems.push("the page looks another");
  if (document.getElementById !== own.getElementById || document.body !== own.body || globalThis.fetch !== own.fetch) problems.push("hidden");
  if (document.querySelectorAll("#probe").length !== 1 || location.href.split("#")[0] !== own.location) problems.push("hidden");
  if (ran.length > 0 || document.title !== "host") problems.push("ran " + ran);
  if (!output.querySelector("p.end") && !swallowing.test(html)) problems.push("the rest is not shown");
  return problems;
};
globalThis.judgeAll = async (outputs) => {
  const found = [];
  for (const html of outputs) for (const problem of await judge(html)) found.push(problem + ": " + html.slice(0, 200));
  return found;
};
</script>
<script type="module">${source.replaceAll("</script", "<\\/script")}
control.render({ model, el: document.getElementById("el") });
globalThis.ready = true;</script>`;

const kinds = Object.entries(hostileOutputs);
const file = join(temporaryFolder(), "host.html");
writeFileSync(file, host);

/** Harmless outputs, which stay the same. */
const kept = [
  '<h2 id="a" title="t">A <b>b</b> <code>c</code></h2>',
  '<table class="x"><thead><tr><th scope="col" colspan="2">h</th></tr></thead><tbody><tr><td align="right">1</td></tr></tbody></table>',
  '<p style="color: red; margin: 0px">x</p>',
  '<details open=""><summary>s</summary>d</details>',
  '<ol start="3" reversed=""><li value="7">x</li></ol>',
  '<img alt="a" src="data:image/png;base64,AAAA" width="9" height="9">',
  '<picture><source media="(max-width:560px)" srcset="data:image/svg+xml;base64,AAAA" width="9" height="9"><img alt="" src="data:image/svg+xml;base64,AAAA"></picture>',
  '<svg viewBox="0 0 9 9" class="plot-d6a7b5" aria-label="an image of imports"><defs><clipPath id="c1"><rect width="9" height="9"></rect></clipPath><linearGradient id="g1" gradientUnits="userSpaceOnUse"><stop offset="0" stop-color="#fff"></stop></linearGradient></defs><g clip-path="url(#c1)" fill="url(#g1)" transform="translate(1,2)"><path d="M0,0L9,9" stroke-width="1.5"></path><text y="9" text-anchor="end"><tspan x="1">t</tspan><title>tip</title></text><use xlink:href="#c1"></use></g></svg>',
  '<a href="#a">x</a>',
  '<iframe sandbox="allow-scripts" title="t" style="width: 100%; border: 0px" srcdoc="&lt;b&gt;"></iframe>',
];

/** Harmless outputs that changed, before and after. */
const changed = `(async (outputs) => {
  const found = [];
  for (const html of outputs) {
    const output = await show(html);
    const plain = (text) => { const d = document.createElement("div"); d.innerHTML = text; return d.innerHTML.replaceAll(": ", ":").replaceAll("; ", ";").replaceAll(';"', '"').replaceAll("0px", "0"); };
    const shown = plain(output.innerHTML.replace(/<p class="end">[^<]*<.p>$/, ""));
    if (shown !== plain(html)) found.push({ shown, expected: plain(html) });
  }
  return found;
})`;

describe("the judge", () => {
  test("has outputs of every kind", () => {
    expect(kinds.map(([, outputs]) => outputs.length).reduce((a, b) => a + b)).toBeGreaterThan(500);
  });
});

const browserPath = findBrowser();
describe.runIf(browserPath)("hostile outputs of a control in Chromium", () => {
  const openPage = useBrowser();
  let page: Page;
  let problems: readonly string[];
  beforeAll(async () => {
    ({ page, problems } = await openPage({ viewport: { width: 600, height: 700 } }));
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction("globalThis.ready");
  });
  test.each(kinds)("%s have no effect outside it", async (_, outputs) => {
    expect(await page.evaluate(`judgeAll(${JSON.stringify(outputs)})`)).toEqual([]);
    expect(problems.filter((problem) => /^https?:/.test(problem))).toEqual([]);
  });

  test("harmless ones stay as they are", async () => {
    expect(await page.evaluate(`${changed}(${JSON.stringify(kept)})`)).toEqual([]);
  });

  test("links open in another tab", async () => {
    await page.evaluate(`change('<a href="https://example.com/x" target=_top>x</a>')`);
    const link = page.locator(".siteframe-control-output a");
    await expect.poll(() => link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await link.getAttribute("target")).toBe("_blank");
  });
});

const firefoxPath = findFirefox();
describe.runIf(firefoxPath)("hostile outputs of a control in Firefox", () => {
  let firefox: Firefox;
  let page: FirefoxFrame;
  beforeAll(async () => {
    firefox = await startFirefox(firefoxPath ?? "");
    page = await firefox.open(pathToFileURL(file).href, { width: 600, height: 700 });
    await page.evaluate(
      "new Promise((done) => { const look = () => (globalThis.ready ? done(true) : setTimeout(look, 20)); look(); })",
    );
  });
  afterAll(() => firefox?.close());

  test.each(kinds)("%s have no effect outside it", async (_, outputs) => {
    expect(await page.evaluate(`judgeAll(${JSON.stringify(outputs)})`)).toEqual([]);
    expect(firefox.problems.filter((problem) => problem.startsWith("asks"))).toEqual([]);
  });

  test("harmless ones stay as they are", async () => {
    expect(await page.evaluate(`${changed}(${JSON.stringify(kept)})`)).toEqual([]);
  });
});
