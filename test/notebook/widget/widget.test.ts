import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { widget } from "../../../src/notebook/widget/index.js";
import { html } from "../../../src/tables/display/markup-tags.js";
import { displaySymbol } from "../../../src/tables/display/mime-bundle.js";
import { FakeKernel } from "./fake-kernel.js";

const esm = "export default { render() {} }";
const view = "application/vnd.jupyter.widget-view+json";

describe("a widget in a kernel", () => {
  let kernel: FakeKernel;
  beforeEach(() => {
    kernel = new FakeKernel();
  });
  afterEach(() => kernel.close());

  /** Shows the only widget, and returns the id of its comm. */
  async function show(shown: { [displaySymbol](): unknown }): Promise<string> {
    await shown[displaySymbol]();
    return kernel.sent[0]?.id ?? "";
  }

  test("opens one model of anywidget when it is shown", async () => {
    const counter = widget({ esm, css: "b {}", state: { count: 3 } });
    expect(kernel.sent).toEqual([]);
    const bundle = await counter[displaySymbol]();
    const [opened] = kernel.sent;
    expect(opened).toMatchObject({ type: "open", extras: { metadata: { version: "2.1.0" } } });
    expect(opened?.data).toEqual({
      state: {
        ...{ count: 3, _esm: esm, _css: "b {}", _anywidget_id: "siteframe.widget" },
        ...{ _model_module: "anywidget", _model_module_version: "*", _model_name: "AnyModel" },
        ...{ _view_module: "anywidget", _view_module_version: "*", _view_name: "AnyView" },
      },
      buffer_paths: [],
    });
    expect(bundle[view]).toEqual({ version_major: 2, version_minor: 1, model_id: opened?.id });
    expect((await counter[displaySymbol]())[view]).toEqual(bundle[view]);
    expect(kernel.sent).toHaveLength(1);
  });

  test("keeps changes of the page, echoes them, and calls its listeners", async () => {
    const counter = widget({ esm, state: { count: 0, name: "a" } });
    const id = await show(counter);
    const changes: unknown[] = [];
    const end = counter.onChange((changed) => changes.push(changed));
    await kernel.say(id, { method: "update", state: { count: 4 }, buffer_paths: [] });
    expect(counter.state).toEqual({ count: 4, name: "a" });
    expect(changes).toEqual([{ count: 4 }]);
    expect(kernel.messages(id)).toEqual([{ method: "echo_update", state: { count: 4 }, buffer_paths: [] }]);
    end();
    await kernel.say(id, { method: "update", state: { count: 5 }, buffer_paths: [] });
    expect(changes).toHaveLength(1);
  });

  test("ignores changes of the protocol's names by the page", async () => {
    const counter = widget({ esm, state: {} });
    const id = await show(counter);
    const changes: unknown[] = [];
    counter.onChange((changed) => changes.push(changed));
    await kernel.say(id, { method: "update", state: { _esm: "other", layout: "IPY_MODEL_x" }, buffer_paths: [] });
    await kernel.say(id, { method: "request_state" });
    expect(changes).toEqual([{}]);
    expect(kernel.messages(id).at(-1)?.["state"]).toMatchObject({ _esm: esm });
    expect(counter.state).toEqual({});
  });

  test("sends only changes of the kernel", async () => {
    const counter = widget({ esm, state: { count: 0, name: "a" } });
    counter.set({ name: "b" });
    await counter[displaySymbol]();
    const [opened] = kernel.sent;
    expect(opened?.data["state"]).toMatchObject({ count: 0, name: "b" });
    counter.set({ count: 9 });
    expect(kernel.messages(opened?.id ?? "")).toEqual([{ method: "update", state: { count: 9 }, buffer_paths: [] }]);
  });

  test("sends and receives bytes at any depth", async () => {
    const picture = widget({
      esm,
      state: { pixels: Uint8Array.of(1, 2), deep: { list: [5, new Float32Array([1]), { more: Buffer.of(7) }] } },
    });
    await picture[displaySymbol]();
    const [opened] = kernel.sent;
    expect(opened?.data["buffer_paths"]).toEqual([["pixels"], ["deep", "list", 1], ["deep", "list", 2, "more"]]);
    expect(opened?.data["state"]).toMatchObject({ deep: { list: [5, null, {}] } });
    expect(opened?.extras.buffers?.map((bytes) => [...bytes])).toEqual([[1, 2], [0, 0, 128, 63], [7]]);
    const paths = [["deep", "list", 1], ["pixels"], ["no", "where"], ["__proto__", "polluted"]];
    const buffers = [3, 4, 5, 6].map((byte) => Uint8Array.of(byte));
    const state = { deep: { list: [1, null] } };
    await kernel.say(opened?.id ?? "", { method: "update", state, buffer_paths: paths }, buffers);
    expect(picture.state).toEqual({ pixels: Uint8Array.of(4), deep: { list: [1, Uint8Array.of(3)] } });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("receives messages with bytes, and waits for their listeners", async () => {
    const questions = widget({ esm });
    const id = await show(questions);
    questions.onMessage(async (content, buffers) => {
      await new Promise((done) => setTimeout(done, 5));
      questions.send({ answer: content }, buffers);
    });
    await kernel.say(id, { method: "custom", content: { ask: 1 } }, [Uint8Array.of(8)]);
    const { data, extras } = kernel.sent.at(-1) ?? {};
    expect(data).toEqual({ method: "custom", content: { answer: { ask: 1 } } });
    expect(extras?.buffers).toEqual([Uint8Array.of(8)]);
  });

  test("is sent to a reloaded page, unless it was closed", async () => {
    const bytes = widget({ esm, state: { pixels: Uint8Array.of(1) } });
    const closed = widget({ esm, state: {} });
    const hungUp = widget({ esm, state: {} });
    for (const each of [bytes, closed, hungUp]) await each[displaySymbol]();
    const [id = "", closedId = "", hungUpId = ""] = kernel.sent.map((sent) => sent.id);
    closed.close();
    await kernel.hangUp(hungUpId);
    expect(kernel.sent.at(-1)).toMatchObject({ type: "close", id: closedId });
    expect(await closed[displaySymbol]()).not.toHaveProperty([view]);
    const control = kernel.open("jupyter.widget.control") ?? "";
    await kernel.say(control, { method: "request_states" });
    const { data, extras } = kernel.sent.at(-1) ?? {};
    expect(data).toMatchObject({ method: "update_states", buffer_paths: [[id, "state", "pixels"]] });
    expect(data?.["states"]).toEqual({
      [id]: {
        ...{ model_name: "AnyModel", model_module: "anywidget", model_module_version: "*" },
        state: expect.objectContaining({ _esm: esm }),
      },
    });
    expect(extras?.buffers).toEqual([Uint8Array.of(1)]);
    await hungUp[displaySymbol]();
    expect(kernel.sent.at(-1)).toMatchObject({ type: "open" });
  });
});

describe("a widget", () => {
  test("keeps its state in a script, and shows it with a note", async () => {
    const counter = widget({ esm, state: { count: 1 } });
    counter.set({ count: 2 });
    counter.send({ any: 1 });
    counter.close();
    const bundle = await counter[displaySymbol]();
    expect(Object.keys(bundle)).toEqual(["text/html", "text/plain"]);
    expect(bundle["text/plain"]).toMatch(/^\{ count: 2 \}\nStatic view: run the notebook to change this part\.$/);
    expect(bundle["text/html"]).toContain("<small>Static view: ");
  });

  test("shows its fallback", async () => {
    const bundle = await widget({ esm, fallback: html`<i>${"<3>"}</i>` })[displaySymbol]();
    expect(bundle["text/html"]).toContain("<i>&lt;3&gt;</i>");
  });

  test("reads a file, and passes an address to the page", async () => {
    const kernel = new FakeKernel();
    const path = join(mkdtempSync(join(tmpdir(), "widget-")), "draws.js");
    writeFileSync(path, esm);
    await widget({ esm: pathToFileURL(path), css: new URL("https://example.com/a.css") })[displaySymbol]();
    kernel.close();
    expect(kernel.sent[0]?.data["state"]).toMatchObject({ _esm: esm, _css: "https://example.com/a.css" });
  });

  test.each([
    ["a missing module", {}, "widget(): esm must be the source of a module or a URL, got undefined."],
    ["an unknown option", { esm, sate: {} }, 'widget() has no option "sate".'],
    ["an invalid state", { esm, state: [1] }, "widget(): state must be an object, but got [1]."],
    [
      "a name of the protocol",
      { esm, state: { _esm: "" } },
      "widget(): _esm is a reserved name of the protocol. Rename it in state.",
    ],
  ])("rejects %s", (_, options, message) => {
    expect(() => widget(options as never)).toThrow(message);
  });

  test("rejects a circular state, at once and later", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(() => widget({ esm, state: loop })).toThrow("A widget's state must be JSON and bytes");
    const sound = widget({ esm, state: { value: 1 as unknown } });
    expect(() => sound.set({ value: loop })).toThrow("A widget's state must be JSON and bytes");
    expect(sound.state.value).toBe(1);
  });
});
