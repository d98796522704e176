import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, KernelClient, type Received, result } from "./support/kernel-client.js";

let kernel: KernelClient;
let id = "";

beforeAll(async () => {
  kernel = await KernelClient.start();
});
afterAll(() => kernel.close());

const view = "application/vnd.jupyter.widget-view+json";

/** The first matching message of a comm after `from` broadcasts. */
function heard(comm: string, fits: (data: Json) => boolean, from = 0): Promise<Received> {
  return kernel.until(
    (received) =>
      kernel.broadcasts.indexOf(received) >= from &&
      received.type === "comm_msg" &&
      received.content["comm_id"] === comm &&
      fits(received.content["data"]),
  );
}

async function say(comm_id: string, data: Json, buffers: readonly Uint8Array[] = []): Promise<Received["message"]> {
  const message = { ...kernel.create("comm_msg", { comm_id, data }), buffers };
  await kernel.send(message);
  return message;
}

const update = (state: Json) => ({ method: "update", state, buffer_paths: [] });
const isIdle = (message: Received["message"]) => (received: Received) =>
  received.message.parent.msg_id === message.header.msg_id && received.content["execution_state"] === "idle";

describe("widgets on the wire", () => {
  test("open as models of anywidget before they are shown, with a fallback", async () => {
    const { outputs } = await kernel.execute(
      `import { widget } from "siteframe/widget";
const counter = widget({ esm: "export default {}", css: "b {}", state: { count: 1, pixels: Uint8Array.of(1, 2, 3) } });
counter.onChange(({ count }) => { if (count !== undefined && count > 9) counter.set({ count: 9 }); });
counter.onMessage((content, buffers) => counter.send({ got: content }, buffers.map((each) => each.slice().reverse())));
counter`,
    );
    expect(outputs.map(({ type }) => type)).toEqual(["execute_input", "comm_open", "execute_result"]);
    const [, opened, shown] = outputs;
    id = String(opened?.content["comm_id"]);
    expect(opened?.content["target_name"]).toBe("jupyter.widget");
    expect(opened?.message.metadata).toEqual({ version: "2.1.0" });
    expect(opened?.content["data"]).toMatchObject({
      state: { _model_module: "anywidget", _view_name: "AnyView", _esm: "export default {}", _css: "b {}", count: 1 },
      buffer_paths: [["pixels"]],
    });
    expect(opened?.message.buffers.map((bytes) => [...bytes])).toEqual([[1, 2, 3]]);
    expect(shown?.content["data"][view]).toEqual({ version_major: 2, version_minor: 1, model_id: id });
    expect(shown?.content["data"]["text/html"]).toContain("Static view: ");
    const info = await kernel.ask("comm_info_request", { target_name: "jupyter.widget" });
    expect(info.reply["comms"]).toEqual({ [id]: { target_name: "jupyter.widget" } });
  });

  test("accept changes of the page, echo them, and send changes of the kernel", async () => {
    const sent = await say(id, update({ count: 12 }));
    await kernel.until(isIdle(sent));
    const mine = kernel.broadcasts.filter(({ message: { parent } }) => parent.msg_id === sent.header.msg_id);
    expect(mine.map(({ type, content }) => content["execution_state"] ?? [type, content["data"]])).toEqual([
      "busy",
      ["comm_msg", { method: "echo_update", state: { count: 12 }, buffer_paths: [] }],
      ["comm_msg", { method: "update", state: { count: 9 }, buffer_paths: [] }],
      "idle",
    ]);
    expect(result(await kernel.execute("counter.state.count"))).toBe("9");
  });

  test("accept bytes from the page", async () => {
    await say(id, { method: "update", state: {}, buffer_paths: [["pixels"]] }, [Uint8Array.of(7, 8)]);
    expect(result(await kernel.execute("counter.state.pixels"))).toBe("Uint8Array(2) [ 7, 8 ]");
    const echo = await heard(id, ({ method, buffer_paths }) => method === "echo_update" && buffer_paths.length === 1);
    expect(echo.message.buffers.map((bytes) => [...bytes])).toEqual([[7, 8]]);
  });

  test("pass messages both ways, with bytes", async () => {
    await say(id, { method: "custom", content: { ask: "é" } }, [Uint8Array.of(1, 2), new Uint8Array(0)]);
    const { message, content } = await heard(id, ({ method }) => method === "custom");
    expect(content["data"]).toEqual({ method: "custom", content: { got: { ask: "é" } } });
    expect(message.buffers.map((bytes) => [...bytes])).toEqual([[2, 1], []]);
  });

  test("send their state, one or all, to a page that is loaded again", async () => {
    await say(id, { method: "request_state" });
    const one = await heard(id, ({ method, state }) => method === "update" && state["_esm"] !== undefined);
    expect(one.content["data"]["state"]).toMatchObject({ count: 9, _model_name: "AnyModel" });
    await kernel.send(kernel.create("comm_open", { comm_id: "ctl", target_name: "jupyter.widget.control", data: {} }));
    await say("ctl", { method: "request_states" });
    const all = await heard("ctl", ({ method }) => method === "update_states");
    expect(all.content["data"]["buffer_paths"]).toEqual([[id, "state", "pixels"]]);
    expect(all.content["data"]["states"][id]).toMatchObject({ model_module: "anywidget", state: { count: 9 } });
    expect(all.message.buffers.map((bytes) => [...bytes])).toEqual([[7, 8]]);
  });

  test("end, from either side", async () => {
    const { outputs } = await kernel.execute("counter.close(); counter");
    expect(outputs.map(({ type }) => type)).toEqual(["execute_input", "comm_close", "execute_result"]);
    expect(outputs[2]?.content["data"]).not.toHaveProperty([view]);
    const other = await kernel.execute('const other = widget({ esm: "export default {}" });\nother');
    const otherId = other.outputs[1]?.content["comm_id"];
    await kernel.send(kernel.create("comm_close", { comm_id: otherId, data: {} }));
    const again = await kernel.execute("other");
    expect(again.outputs.map(({ type }) => type)).toEqual(["execute_input", "comm_open", "execute_result"]);
    expect(again.outputs[1]?.content["comm_id"]).not.toBe(otherId);
  });

  test("that a page opens in the kernel are closed at once", async () => {
    await kernel.send(kernel.create("comm_open", { comm_id: "theirs", target_name: "jupyter.widget", data: {} }));
    await kernel.until(({ type, content }) => type === "comm_close" && content["comm_id"] === "theirs");
  });
});

describe("a slider on the wire", () => {
  let slider = "";
  const html = (text: string, from = 0) => heard(slider, ({ state }) => String(state?.["html"]).includes(text), from);

  test("shows the output, displays and result of its function", async () => {
    const { outputs } = await kernel.execute(
      `import { existsSync, writeFileSync } from "node:fs";
import { slider } from "siteframe/widget";
let runs = 0;
const control = slider({ min: 0, max: 9 }, async (n) => {
  runs++;
  console.log("printed", n);
  display(html\`<i>shown \${n}</i>\`);
  if (n === 3) throw new Error("three");
  writeFileSync("began " + n, "");
  if (n === 4) for (;;);
  if (n === 5) for (;;) await null;
  if (n === 6) while (!existsSync("all are sent")) await new Promise((done) => setTimeout(done, 10));
  return n * 10;
});
control`,
    );
    expect(outputs.map(({ type }) => type)).toEqual([...["execute_input", "comm_open", "execute_result"]]);
    slider = String(outputs[1]?.content["comm_id"]);
    expect(outputs[1]?.content["data"]["state"]["html"]).toMatch(/printed 0[\s\S]*<i>shown 0<\/i>[\s\S]*<pre>0<\/pre>/);
    const sent = await say(slider, update({ at: 2 }));
    await kernel.until(isIdle(sent));
    const { message } = await html("<pre>20</pre>");
    expect(message.parent.msg_id).toBe(sent.header.msg_id);
    expect(kernel.broadcasts.some(({ type, content }) => type === "stream" && /printed/.test(content["text"]))).toBe(
      false,
    );
  });

  test("shows an error with the line of its cell", async () => {
    await say(slider, update({ at: 3 }));
    const { content } = await html("Error: three");
    expect(content["data"]["state"]["html"]).toMatch(/<i>shown 3<\/i>[\s\S]*Cell \d+:[\s\S]*throw new Error/);
  });

  test.each([4, 5])("can be interrupted like a cell, and continues (%i)", async (at) => {
    const from = kernel.broadcasts.length;
    const sent = await say(slider, update({ at }));
    await expect.poll(() => existsSync(join(kernel.folder, `began ${at}`))).toBe(true);
    await kernel.ask("interrupt_request", {}, "control");
    await html("AbortError: The cell was interrupted.", from);
    await kernel.until(isIdle(sent));
    await say(slider, update({ at: 1 }));
    await html("<pre>10</pre>", from);
  });

  test("skips to the last of the values that come while it is busy", async () => {
    const before = Number(result(await kernel.execute("runs")));
    const from = kernel.broadcasts.length;
    for (const at of [6, 0, 1, 2, 7, 8]) await say(slider, update({ at }));
    await heard(slider, ({ method, state }) => method === "echo_update" && state["at"] === 8, from);
    writeFileSync(join(kernel.folder, "all are sent"), "");
    await html("<pre>80</pre>", from);
    expect(result(await kernel.execute("runs"))).toBe(String(before + 2));
    expect(result(await kernel.execute("control.value"))).toBe("8");
  });
});
