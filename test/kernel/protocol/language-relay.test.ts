import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { type Json, KernelClient, kernelCommand, type StartOptions } from "../support/kernel-client.js";

const kernels: KernelClient[] = [];
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.close();
});

async function start(options?: StartOptions): Promise<KernelClient> {
  const kernel = await KernelClient.start(options);
  kernels.push(kernel);
  return kernel;
}

/** Opens a comm as the page of a notebook does. */
async function openLine(kernel: KernelClient, comm_id: string) {
  await kernel.send(kernel.create("comm_open", { comm_id, target_name: "siteframe.lsp", data: {} }));
  const heard = (fits: (data: Json) => boolean, type = "comm_msg") =>
    kernel.until((each) => each.type === type && each.content["comm_id"] === comm_id && fits(each.content["data"]));
  let asked = 0;
  const say = (method: string, params: object, id?: number) =>
    kernel.send(kernel.create("comm_msg", { comm_id, data: { id, method, params } }));
  return {
    say,
    heard,
    closed: () => heard(() => true, "comm_close"),
    async ask(method: string, params: object): Promise<Json> {
      asked += 1;
      const id = asked;
      await say(method, params, id);
      return (await heard((data) => data["id"] === id)).content["data"];
    },
  };
}

const notebook = "notebook:/cells.ipynb";

function opened(texts: readonly string[]): object {
  const cells = texts.map((text, index) => ({ uri: `cell:/${index}`, languageId: "typescript", version: 0, text }));
  return {
    notebookDocument: {
      uri: notebook,
      notebookType: "jupyter-notebook",
      version: 0,
      cells: cells.map(({ uri }) => ({ kind: 2, document: uri })),
    },
    cellTextDocuments: cells,
  };
}

/** The language servers that a kernel has started. */
function serversOf(kernel: KernelClient): readonly number[] {
  const processes = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const lines = processes.map((line) => line.trim().split(/\s+/));
  const own = lines.filter(([, parent, ...args]) => parent === `${kernel.process.pid}` && args.includes("lsp"));
  return own.map(([id]) => Number(id));
}

describe("the language server in a kernel", () => {
  test("sends a page the errors of cells that have not run, also while a cell runs", async () => {
    const kernel = await start();
    const { executed } = await kernel.executing("await new Promise((go) => { globalThis.goOn = go; })");
    const { ask, say, heard } = await openLine(kernel, "page");
    expect(await ask("initialize", { capabilities: {} })).toMatchObject({
      result: { serverInfo: { name: "siteframe" } },
    });
    await say("initialized", {});
    await say("notebookDocument/didOpen", opened(["const n = 1;", "n.foo"]));
    const { content } = await heard(
      ({ method, params }) => method === "textDocument/publishDiagnostics" && params.uri === "cell:/1",
    );
    expect(content["data"].params.diagnostics).toMatchObject([
      {
        message: expect.stringContaining("Property 'foo' does not exist on type '1'"),
        range: { start: { line: 0, character: 2 } },
      },
    ]);
    const position = { line: 0, character: 0 };
    const hover = await ask("textDocument/hover", { textDocument: { uri: "cell:/1" }, position });
    expect(hover["result"].contents.value).toContain("const n: 1");
    await kernel.ask("execute_request", { code: "globalThis.goOn()" }, "shell", await subshell(kernel));
    expect((await executed).reply).toMatchObject({ status: "ok" });
  });

  test("uses the folder in which the kernel started", async () => {
    const kernel = await start();
    await kernel.execute(
      `const fs = await import("node:fs"); fs.writeFileSync("piles.ts", "export const piles = 3;");`,
    );
    await kernel.execute(`process.chdir("/")`);
    const { ask, say } = await openLine(kernel, "page");
    await ask("initialize", { capabilities: {} });
    await say("notebookDocument/didOpen", opened([`import { piles } from "./piles.js";\npiles`]));
    const position = { line: 1, character: 1 };
    const hover = await ask("textDocument/hover", { textDocument: { uri: "cell:/0" }, position });
    expect(hover["result"].contents.value).toContain("piles: 3");
  });

  test("belongs to the page that opened it last, and ends with this page", async () => {
    const kernel = await start();
    const former = await openLine(kernel, "former");
    await former.ask("initialize", { capabilities: {} });
    const page = await openLine(kernel, "page");
    expect((await former.closed()).content["data"]).toMatchObject({ isReplaced: true });
    await page.ask("initialize", { capabilities: {} });
    await expect.poll(() => serversOf(kernel)).toHaveLength(1);
    const { reply } = await kernel.ask("comm_info_request", { target_name: "siteframe.lsp" });
    expect(Object.keys(reply["comms"])).toEqual(["page"]);
    await kernel.send(kernel.create("comm_close", { comm_id: "page", data: {} }));
    await expect.poll(() => serversOf(kernel)).toEqual([]);
  });

  test("closes its comm with a reason when it ends", async () => {
    const kernel = await start();
    const { ask, say, closed } = await openLine(kernel, "page");
    await ask("initialize", { capabilities: {} });
    await say("exit", {});
    expect((await closed()).content["data"]).toEqual({ reason: "" });
  });

  test("is not available with tslab", async () => {
    const kernel = await start({ command: (file) => kernelCommand(file, "tslab") });
    const { closed } = await openLine(kernel, "page");
    expect((await closed()).content["data"]).toEqual({});
  });

  test("ends with the kernel", async () => {
    const kernel = await start();
    const { ask } = await openLine(kernel, "page");
    await ask("initialize", { capabilities: {} });
    const [id = 0] = serversOf(kernel);
    expect(isRunning(id)).toBe(true);
    await kernel.close();
    await expect.poll(() => isRunning(id)).toBe(false);
  });
});

async function subshell(kernel: KernelClient): Promise<string> {
  const { reply } = await kernel.ask("create_subshell_request", {}, "control");
  return String(reply["subshell_id"]);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
