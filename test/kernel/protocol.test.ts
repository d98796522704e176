import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { languageInfo } from "../../src/kernel/install/language-info.js";
import { testedEngine } from "../support/tested-engine.js";
import { type Exchange, KernelClient, type Received, result, texts } from "./support/kernel-client.js";

let kernel: KernelClient;

beforeAll(async () => {
  kernel = await KernelClient.start();
});
afterAll(() => kernel.close());

/** A value whose display is ready only later. */
const slow = '({ [Symbol.for("Jupyter.display")]: async () => ({ "text/plain": "slow" }) })';
/** The replacement of half a surrogate pair. */
const replaced = "\ufffd";
/** A cell that ends, and runs code once the test has written a file. */
const afterFile = (name: string, code: string) =>
  `const waits = setInterval(() => { if (process.getBuiltinModule("node:fs").existsSync(${JSON.stringify(name)})) { clearInterval(waits); ${code} } }, 5); 1`;
/** A cell that is busy until the test writes a file. */
const untilFile = (name: string) => `const files = await import("node:fs");
while (!files.existsSync(${JSON.stringify(name)}));`;
/** The text printed below a cell, also after its end. */
function printedBelow({ broadcasts: [first] }: Exchange): string {
  const id = first?.message.parent.msg_id;
  const late = kernel.broadcasts.filter(({ type, message }) => type === "stream" && message.parent.msg_id === id);
  return late.map(({ content }) => `${content["name"]}: ${content["text"]}`).join("");
}
const types = ({ outputs }: Exchange) => outputs.map(({ type }) => type);

const aString = expect.any(String);

/** Content of `kernel_info_reply` in Jupyter's documentation of messages, as clients in typed languages decode it. */
const kernelInfoSchema = {
  status: "ok",
  protocol_version: "5.4",
  implementation: "siteframe",
  implementation_version: aString,
  language_info: {
    name: "typescript",
    version: languageInfo(testedEngine).version,
    mimetype: aString,
    file_extension: ".ts",
    pygments_lexer: aString,
    codemirror_mode: "typescript",
    nbconvert_exporter: aString,
  },
  banner: aString,
  debugger: true,
};

describe("kernel_info", () => {
  test.each(["shell", "control"] as const)(
    "has the fields and types that strict clients decode: %s",
    async (channel) => {
      const { reply } = await kernel.ask("kernel_info_request", {}, channel);
      const { help_links, supported_features, ...fields } = reply;
      expect(fields).toEqual(kernelInfoSchema);
      expect(help_links).toEqual(help_links.map(() => ({ text: aString, url: expect.stringMatching(/^https:/) })));
      expect(supported_features).toEqual(supported_features.map(() => aString));
      expect(Array.isArray(help_links) && Array.isArray(supported_features)).toBe(true);
    },
  );
});

describe("execute", () => {
  test("publishes everything between busy and idle, in order", async () => {
    const exchange = await kernel.execute('console.log("a"); console.error("b"); display(1); console.log("c"); 7');
    expect(
      exchange.broadcasts.map(({ type, content }) => content["execution_state"] ?? content["name"] ?? type),
    ).toEqual([...["busy", "execute_input", "stdout", "stderr", "display_data", "stdout", "execute_result", "idle"]]);
    expect(exchange.reply).toMatchObject({ status: "ok", payload: [], user_expressions: {} });
  });

  test("counts only stored cells", async () => {
    const count = async (options: object) => (await kernel.execute("1", { ...options })).reply["execution_count"];
    const first = await count({});
    expect(await count({ store_history: false })).toBe(first);
    expect(await count({ silent: true })).toBe(first);
    expect(await count({})).toBe(first + 1);
  });

  test("publishes nothing if silent", async () => {
    const exchange = await kernel.execute('console.log("x"); display(1); 2', { silent: true });
    expect(types(exchange)).toEqual([]);
    expect(exchange.reply["status"]).toBe("ok");
    const failed = await kernel.execute("throw new Error('unheard')", { silent: true });
    expect([types(failed), failed.reply["status"]]).toEqual([[], "error"]);
  });

  test("evaluates user expressions without keeping their names", async () => {
    const { reply } = await kernel.execute("const side = 4;", {
      user_expressions: { double: "side * 2", wrong: "nothing", thrown: "(() => { throw new Error('no') })()" },
    });
    expect(reply["user_expressions"]).toMatchObject({
      double: { status: "ok", data: { "text/plain": "8" } },
      wrong: { status: "error", ename: "TypeScriptError" },
      thrown: { status: "error", evalue: "no" },
    });
    expect(result(await kernel.execute("side"))).toBe("4");
    const awaited = await kernel.execute("1", { user_expressions: { late: "await Promise.resolve(2)" } });
    expect(awaited.reply["user_expressions"]).toMatchObject({ late: { data: { "text/plain": "2" } } });
    const failed = await kernel.execute("throw 1", { user_expressions: { right: "1" } });
    expect(failed.reply["user_expressions"]).toEqual({});
  });

  test("publishes and replies an error, and aborts waiting cells", async () => {
    const [failed, aborted] = await Promise.all([
      kernel.execute("throw new RangeError('bad')"),
      kernel.execute("console.log('never')"),
    ]);
    const kept = await kernel.execute("5");
    const error = {
      ename: "RangeError",
      evalue: "bad",
      traceback: expect.arrayContaining(["\u001b[31mRangeError\u001b[0m: bad"]),
    };
    expect(failed.reply).toMatchObject({ status: "error", ...error });
    expect(failed.outputs.at(-1)?.content).toMatchObject(error);
    // As in ipykernel. With a count, JupyterLab would show that the cell ran.
    expect(aborted.reply).toEqual({ status: "aborted" });
    expect(types(aborted)).toEqual([]);
    expect(result(kept)).toBe("5");
  });

  test("continues after an error if asked", async () => {
    const [, second] = await Promise.all([
      kernel.execute("throw 1", { stop_on_error: false }),
      kernel.execute("6", { stop_on_error: false }),
    ]);
    expect(result(second)).toBe("6");
  });

  test("names displays and updates them; clears and pages", async () => {
    const exchange = await kernel.execute(
      'display(1, { id: "d" }); display(2, { id: "d", update: true }); clearOutput({ wait: true }); clearOutput(); page("help")',
    );
    expect(exchange.outputs.slice(1)).toMatchObject([
      { type: "display_data", content: { transient: { display_id: "d" } } },
      { type: "update_display_data", content: { data: { "text/plain": "2" } } },
      { type: "clear_output", content: { wait: true } },
      { type: "clear_output", content: { wait: false } },
    ]);
    const later = await kernel.execute('display(3, { id: "d", update: true })');
    expect(types(later).slice(1)).toEqual(["update_display_data"]);
    expect(exchange.reply["payload"]).toEqual([{ source: "page", data: { "text/plain": "'help'" }, start: 0 }]);
  });

  test("cuts long output with a note", async () => {
    const exchange = await kernel.execute("for (let i = 0; i < 300; i++) console.log('x'.repeat(100_000));");
    const text = texts(exchange).join("");
    expect(text.length).toBeLessThan(6_000_000);
    expect(text).toContain("output truncated after");
  });

  test("attributes late output and late errors to their cell", async () => {
    const first = await kernel.execute(afterFile("it ended", "console.log('late'); throw new Error('stray');"));
    writeFileSync(join(kernel.folder, "it ended"), "");
    await kernel.execute("await new Promise((done) => setTimeout(done, 200)); 2");
    await expect.poll(() => printedBelow(first)).toMatch(/^stdout: late\n.*Error: stray/s);
    expect(result(await kernel.execute("3"))).toBe("3");
  });

  test.each([
    ["printed text", String.raw`console.log("\ud800"); process.stderr.write("a\udc00b");`],
    ["a display", String.raw`display({ [Symbol.for("Jupyter.display")]: () => ({ "text/html": "<b>\ud800" }) })`],
    [
      "JSON, keys too",
      String.raw`({ [Symbol.for("Jupyter.display")]: () => ({ "application/json": { "\udfff": ["\ud800"] } }) })`,
    ],
    ["an error", String.raw`const e = new RangeError("bad \ud800"); e.name = "Half\udc00"; throw e`],
    // TypeScript 7 escapes the half as in code.
    [
      "a type error",
      String.raw`const half: 1 = "\ud800" as "\ud800";`,
      testedEngine === "tslab" ? replaced : '\\"\\\\uD800',
    ],
    [
      "a comm",
      String.raw`comms.open("\ud800", { "\ud800": "\udc00" }, { metadata: { "\udc00": "\ud800" } }).id.length`,
    ],
  ])("replaces half a surrogate pair, which UTF-8 cannot encode: %s", async (_, cell, instead = replaced) => {
    const exchange = await kernel.execute(cell);
    const sent = JSON.stringify([
      exchange.reply,
      ...exchange.outputs.map(({ message }) => [message.content, message.metadata]),
    ]);
    expect(sent).toContain(instead);
    expect(sent.replaceAll("\\\\", "")).not.toMatch(/\\ud[89a-f]/);
  });

  test.each([
    ["a display", "display(1, { id: 1n as never });", "BigInt"],
    ["a display that takes time", `display(${slow}, { id: 1n as never }); 7`, "BigInt"],
    ["a display that cannot be cloned", "display(1, { id: (() => 1) as never });", "could not be cloned"],
    ["a comm", "comms.open('x', () => 1);", "data must be JSON, not a function"],
    [
      "the buffers of a comm",
      "comms.open('x', {}, { buffers: [5 as never] });",
      "buffers must be a list of Uint8Array",
    ],
  ])("fails if %s cannot be sent, and the kernel continues", async (_, cell, problem) => {
    const { reply, outputs } = await kernel.execute(cell);
    expect(reply).toMatchObject({ status: "error", evalue: expect.stringContaining(problem) });
    expect(outputs.at(-1)?.type).toBe("error");
    expect(result(await kernel.execute("8"))).toBe("8");
  });

  test("reports output that cannot be sent after the end of its cell", async () => {
    const first = await kernel.execute(afterFile("this ended, too", "display(1, { id: 1n as never });"));
    expect(first.reply["status"]).toBe("ok");
    writeFileSync(join(kernel.folder, "this ended, too"), "");
    await kernel.execute("await new Promise((done) => setTimeout(done, 150));");
    await expect.poll(() => printedBelow(first)).toMatch(/^stderr: .*BigInt/);
  });

  test("sends a BigInt in a JSON format or in a comm as text", async () => {
    const json = '({ [Symbol.for("Jupyter.display")]: () => ({ "application/json": { n: 1n } }) })';
    const { outputs } = await kernel.execute(`comms.open("x", { n: 2n }, { metadata: { n: 3n } });\n${json}`);
    const opened = outputs.find(({ type }) => type === "comm_open");
    expect(opened?.content["data"]).toEqual({ n: "2" });
    expect(opened?.message.metadata).toEqual({ n: "3" });
    expect(outputs.at(-1)?.content["data"]["application/json"]).toEqual({ n: "1" });
  });

  test("has names without imports, which can be shadowed", async () => {
    const made = await kernel.execute("[aq.table({ a: [1] }).numRows(), Plot.dot([]).plot().tagName, typeof connect]");
    expect(made.reply["evalue"]).toBeUndefined();
    expect(result(made)).toBe("[ 1, 'SVG', 'function' ]");
    expect((await kernel.execute("aq.tabel({})")).reply["evalue"]).toContain("'tabel' does not exist");
    expect(result(await kernel.execute("const aq = 3; aq"))).toBe("3");
    expect(result(await kernel.execute("aq + 1"))).toBe("4");
  });

  test("shows markup, with values escaped", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template in the cell
    const { outputs } = await kernel.execute("html`<b>${'<i>'}</b>${html`<u>`}`");
    expect(outputs.at(-1)?.content["data"]["text/html"]).toBe("<b>&lt;i&gt;</b><u>");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template in the cell
    const markdown = await kernel.execute("md`**${'*x*'}**`");
    expect(markdown.outputs.at(-1)?.content["data"]["text/markdown"]).toBe("**\\*x\\***");
  });
});

describe("input", () => {
  test("comes from the client that runs the cell", async () => {
    const prompts: object[] = [];
    kernel.onInput = (content) => {
      prompts.push(content);
      return `answer ${prompts.length}`;
    };
    const exchange = await kernel.execute(
      'const a = await input("Name? ");\n[a, await input("Key?", { password: true })]',
    );
    expect(result(exchange)).toBe("[ 'answer 1', 'answer 2' ]");
    expect(prompts).toEqual([
      { prompt: "Name? ", password: false },
      { prompt: "Key?", password: true },
    ]);
  });

  test("supports characters of two UTF-16 units, and replaces half a surrogate pair", async () => {
    const prompts: unknown[] = [];
    kernel.onInput = ({ prompt }) => {
      prompts.push(prompt);
      return "\u{1F642}";
    };
    expect(result(await kernel.execute("(await input('\u{1F642}\\ud800?')).length"))).toBe("2");
    expect(prompts).toEqual(["\u{1F642}\ufffd?"]);
  });

  test("fails if the client cannot answer", async () => {
    const { reply } = await kernel.execute("await input()", { allow_stdin: false });
    expect(reply).toMatchObject({ status: "error", ename: "NoInputError" });
  });
});

describe("requests", () => {
  test("complete strings from the tables of the session, and run none of their code", async () => {
    const code = `import { table } from "arquero";
const parks = table({ park: ["Llano", "Sandbank"], "due 😀": [1, 2] });
const spied = new Proxy(parks, { get: () => { throw new Error("ran"); }, ownKeys: () => { throw new Error("ran"); } });
class Sly { get table() { console.log("ran"); return parks; } }
const sly = new Sly();`;
    expect((await kernel.execute(code)).reply["status"]).toBe("ok");
    const complete = async (typed: string) => {
      const { reply, outputs } = await kernel.ask("complete_request", { code: typed, cursor_pos: [...typed].length });
      expect(outputs).toEqual([]);
      return [reply["matches"], reply["cursor_start"], reply["cursor_end"]];
    };
    // Completion has a time limit, which a busy machine can exceed.
    const completes = (typed: string) => expect.poll(() => complete(typed));
    await completes('parks.groupby("').toEqual([["park", "due 😀"], 15, 15]);
    await completes('"😀"; Plot.dot(parks, { x: "du').toEqual([["due 😀"], 27, 29]);
    await completes('parks.filter((d) => d.park === "').toEqual([["Llano", "Sandbank"], 32, 32]);
    await completes("parks.filter((d) => d.p").toEqual([["park"], 22, 23]);
    await completes("parks.derive({ n: () => 1 }).filter((d) => d.").toEqual([["park", "n"], 45, 45]);
    expect((await complete('spied.groupby("'))[0]).not.toContain("park");
    expect((await complete("spied.filter((d) => d."))[0]).not.toContain("park");
    expect((await complete('sly.table.groupby("'))[0]).not.toContain("park");
    const begun = kernel.begun("busy with parks");
    const busy = kernel.execute(`console.log("busy with parks"); await null; ${untilFile("parks are done")}`);
    await begun;
    expect((await complete('parks.groupby("'))[0]).not.toContain("park");
    writeFileSync(join(kernel.folder, "parks are done"), "");
    expect((await busy).reply["status"]).toBe("ok");
  });

  test("complete and inspect count code points", async () => {
    await kernel.execute("const pressure = { high: 1, low: 2 };");
    const code = '"😀"; pressure.';
    const { reply } = await kernel.ask("complete_request", { code, cursor_pos: [...code].length });
    expect(reply).toMatchObject({ status: "ok", matches: ["high", "low"], cursor_start: 14, cursor_end: 14 });
    const inspected = await kernel.ask("inspect_request", { code: '"😀"; pressure', cursor_pos: 8, detail_level: 0 });
    expect(inspected.reply).toMatchObject({ found: true });
    expect(inspected.reply["data"]["text/plain"]).toContain("pressure");
    await kernel.execute("const \u{1D4B3}y = 1;");
    const name = { code: "'\u{1F642}';\n\u{1D4B3}", cursor_pos: 6 };
    const named = await kernel.ask("complete_request", name);
    expect(named.reply).toMatchObject({ matches: ["\u{1D4B3}y"], cursor_start: 5, cursor_end: 6 });
    const half = { code: "'\ud83d'; pressure.", cursor_pos: 14 };
    expect((await kernel.ask("complete_request", half)).reply).toMatchObject({
      matches: ["high", "low"],
      cursor_end: 14,
    });
    const call = await kernel.ask("inspect_request", { code: "display(1, ", cursor_pos: 11, detail_level: 0 });
    expect(call.reply["data"]["text/markdown"]).toContain("function display");
    expect((await kernel.ask("inspect_request", { code: "", cursor_pos: 0, detail_level: 0 })).reply["found"]).toBe(
      false,
    );
  });

  test.each([
    ["const a = 1", { status: "complete" }],
    ["for (const a of [1]) {", { status: "incomplete", indent: "  " }],
    ["const = 1", { status: "invalid" }],
  ])("is_complete: %j", async (code, expected) => {
    expect((await kernel.ask("is_complete_request", { code })).reply).toEqual(expected);
  });

  test("history: tail, range and search, also of earlier kernels", async () => {
    for (const store_history of [true, true, false]) await kernel.execute("'kept ' + 1", { store_history });
    const history = async (request: object, of = kernel) =>
      (await of.ask("history_request", { output: false, raw: true, ...request })).reply["history"];
    const last = { hist_access_type: "tail", n: 1 };
    const [[session, line, input]] = await history(last);
    expect(input).toBe("'kept ' + 1");
    expect(await history({ hist_access_type: "range", session: 0, start: line - 1, stop: line + 1 })).toEqual([
      [session, line - 1, input],
      [session, line, input],
    ]);
    const search = { hist_access_type: "search", pattern: "'kept*", n: 5, unique: true, output: true };
    expect(await history(search)).toEqual([[session, line, [input, "'kept 1'"]]]);
    const later = await KernelClient.start({ env: { SITEFRAME_HISTORY: `${kernel.folder}/history` } });
    try {
      expect(await history(last, later)).toEqual([[session, line, input]]);
      await later.execute("1");
      expect(await history(last, later)).toEqual([[session + 1, 1, "1"]]);
    } finally {
      await later.close();
    }
  });

  test("are answered while a cell is running, and the kernel stays busy", async () => {
    const lastState = () => kernel.broadcasts.findLast(({ type }) => type === "status")?.content["execution_state"];
    await kernel.execute("const reading = { celsius: 1 };");
    const { executed: busy } = await kernel.executing(untilFile("all is answered"));
    await pause(300);
    expect(await kernel.beat()).toBe("ping");
    expect((await kernel.ask("complete_request", { code: "reading.", cursor_pos: 8 })).reply["matches"]).toEqual([
      "celsius",
    ]);
    expect(
      (await kernel.ask("inspect_request", { code: "reading", cursor_pos: 3, detail_level: 0 })).reply["found"],
    ).toBe(true);
    expect((await kernel.ask("kernel_info_request")).reply["status"]).toBe("ok");
    // The idle status of the last reply comes before the busy status.
    await expect.poll(lastState).toBe("busy");
    writeFileSync(join(kernel.folder, "all is answered"), "");
    expect((await busy).reply["status"]).toBe("ok");
  });

  test("of unknown types are refused", async () => {
    expect((await kernel.ask("strange_request")).reply).toMatchObject({ status: "error" });
  });
});

describe("comms", () => {
  test("go both ways", async () => {
    const cell = `const comm = comms.open("chart", { zoom: 1 });
comm.onMessage = ({ data }) => { console.log("got", data); comm.send({ echo: data }); };
comms.register("picker", (opened, { data }) => { opened.send({ hello: data }); });`;
    const exchange = await kernel.execute(cell);
    const opened = exchange.outputs.find(({ type }) => type === "comm_open");
    expect(opened?.content).toMatchObject({ target_name: "chart", data: { zoom: 1 } });
    const comm_id = opened?.content["comm_id"];
    expect((await kernel.ask("comm_info_request", { target_name: "chart" })).reply["comms"]).toEqual({
      [comm_id]: { target_name: "chart" },
    });
    await kernel.send(kernel.create("comm_msg", { comm_id, data: { a: 1 } }));
    const echo = await kernel.until(({ type, content }) => type === "comm_msg" && content["comm_id"] === comm_id);
    expect(echo.content["data"]).toEqual({ echo: { a: 1 } });
    await kernel.send(kernel.create("comm_open", { comm_id: "mine", target_name: "picker", data: 5 }));
    const hello = await kernel.until(({ type, content }) => type === "comm_msg" && content["comm_id"] === "mine");
    expect(hello.content["data"]).toEqual({ hello: 5 });
  });

  test("carry bytes both ways", async () => {
    await kernel.execute(
      `comms.register("bytes", (comm) => {
        comm.onMessage = ({ buffers }) => comm.send({ n: buffers.length }, { buffers: buffers.map((each) => each.map((byte) => 255 - byte)) });
      });`,
    );
    await kernel.send(kernel.create("comm_open", { comm_id: "b", target_name: "bytes", data: {} }));
    const buffers = [Uint8Array.of(0, 1, 255), new Uint8Array(0), new Uint8Array(1_000_000).fill(7)];
    await kernel.send({ ...kernel.create("comm_msg", { comm_id: "b", data: {} }), buffers });
    const { message, content } = await kernel.until(
      ({ type, content }) => type === "comm_msg" && content["comm_id"] === "b",
    );
    expect(content["data"]).toEqual({ n: 3 });
    expect(message.buffers.map((each) => each.length)).toEqual([3, 0, 1_000_000]);
    expect([...(message.buffers[0] ?? [])]).toEqual([255, 254, 0]);
    expect(message.buffers[2]?.every((byte) => byte === 248)).toBe(true);
  });

  test("keep the kernel busy until the handler of a message has ended", async () => {
    await kernel.execute(
      `const waits = (ms: number) => new Promise((done) => setTimeout(done, ms));
      comms.register("slow", (comm) => {
        comm.onMessage = async ({ data }) => { console.log("begins", data); await waits(30); console.log("ends", data); };
      });`,
    );
    await kernel.send(kernel.create("comm_open", { comm_id: "s", target_name: "slow", data: {} }));
    const sent = kernel.create("comm_msg", { comm_id: "s", data: 7 });
    await kernel.send(sent);
    const isMine = ({ message: { parent } }: Received) => parent.msg_id === sent.header.msg_id;
    await kernel.until((received) => isMine(received) && received.content["execution_state"] === "idle");
    const states = kernel.broadcasts.filter(isMine).map(({ content }) => content["execution_state"] ?? content["text"]);
    // Two lines can come in one message.
    expect(states.join("|").replace("\n|ends", "\nends")).toBe("busy|begins 7\nends 7\n|idle");
  });

  test("publish errors of a handler below its message", async () => {
    await kernel.execute(
      `comms.register("failing", async (_, { data }) => { await null; throw new Error(\`bad \${data}\`); });`,
    );
    const sent = kernel.create("comm_open", { comm_id: "f", target_name: "failing", data: "luck" });
    await kernel.send(sent);
    const { content } = await kernel.until(
      ({ type, message: { parent } }) => type === "stream" && parent.msg_id === sent.header.msg_id,
    );
    expect(content["name"]).toBe("stderr");
    expect(content["text"]).toContain("Error: bad luck\n    at");
  });

  test("of unknown targets are closed, such as the targets of ipywidgets", async () => {
    await kernel.send(kernel.create("comm_open", { comm_id: "w", target_name: "jupyter.widget.control", data: {} }));
    expect(
      await kernel.until(({ type, content }) => type === "comm_close" && content["comm_id"] === "w"),
    ).toBeDefined();
  });
});
