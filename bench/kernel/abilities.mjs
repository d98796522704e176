import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { startKernel } from "./client.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs a probe in a separate kernel, so that probes are independent. */
async function fresh({ argv }, probe) {
  const kernel = await startKernel(argv);
  try {
    // Until the subscription to broadcasts has arrived.
    while (kernel.broadcasts.length === 0) {
      await kernel.ask("kernel_info_request");
      await pause(100);
    }
    return await probe(kernel);
  } finally {
    await kernel.close();
  }
}

/** The reply to a cell, the types of what was published about it, and the text that it shows in whatever way. */
async function run(kernel, cell, options) {
  const { id, content } = await kernel.execute(cell, { timeoutMs: 60_000, ...options });
  await pause(300);
  const about = kernel.broadcasts.filter(({ parent }) => parent.msg_id === id);
  const shown = about.map((message) => message.content.data?.["text/plain"] ?? message.content.text ?? "");
  // Deno's results are coloured.
  const text = stripVTControlCharacters(shown.join("")).trim();
  return { content, types: about.map(({ header }) => header.msg_type), text };
}

async function interrupts({ code, bySignal }, kernel, loop) {
  await kernel.execute(code.keep);
  const running = kernel.execute(loop, { timeoutMs: 6000 });
  await pause(600);
  if (bySignal) kernel.signal();
  else kernel.control("interrupt_request").catch(() => undefined);
  const { content } = await running;
  if (content.status !== "error") return false;
  return (await kernel.execute(code.kept, { timeoutMs: 6000 })).content.status === "ok";
}

async function completesWhileBusy({ code }, kernel) {
  await kernel.execute(code.one);
  const busy = kernel.execute(code.busy);
  await pause(300);
  const answer = kernel.ask("complete_request", { code: code.complete, cursor_pos: code.complete.length });
  return await Promise.race([answer.then(() => true), busy.then(() => false)]);
}

async function importsFile({ code }, kernel) {
  writeFileSync(join(kernel.folder, code.file), code.fileText(1));
  const before = (await run(kernel, code.import)).text === "1";
  // Python compares times of whole seconds.
  await pause(1100);
  writeFileSync(join(kernel.folder, code.file), code.fileText(22));
  return { imports: before, anew: before && (await run(kernel, code.import)).text === "22" };
}

async function asksForInput({ code }, kernel) {
  kernel.onInput = () => "typed";
  const { text } = await run(kernel, code.input, { allowStdin: true });
  return text.includes("typed");
}

/** What a kernel can do, in words. */
export async function abilities(kernel) {
  const { code } = kernel;
  const inFresh = (probe) => fresh(kernel, probe);
  const found = {};
  found["sends results as messages"] = await inFresh(async (k) =>
    (await run(k, code.one)).types.includes("execute_result"),
  );
  found["sends errors as messages, and runs later cells"] = await inFresh(async (k) => {
    const { types, content } = await run(k, code.thrown);
    const after = await run(k, code.text);
    return types.includes("error") && content.status === "error" && after.content.status === "ok";
  });
  found["checks types before running"] = await inFresh(
    async (k) => (await run(k, code.wrong)).content.status === "error",
  );
  found["shows types on hover"] = await inFresh(async (k) => {
    const asked = { code: code.inspect, cursor_pos: 3, detail_level: 0 };
    return (await k.ask("inspect_request", asked)).content.found === true;
  });
  found["completes while busy"] = await inFresh((k) => completesWhileBusy(kernel, k));
  found["a loop can be interrupted, variables stay"] = await inFresh((k) => interrupts(kernel, k, code.loop));
  found["a loop after an await can be interrupted"] = await inFresh((k) => interrupts(kernel, k, code.lateLoop));
  found["input()"] = code.input !== undefined && (await inFresh((k) => asksForInput(kernel, k)));
  found["updates displays"] =
    code.replace !== undefined &&
    (await inFresh(async (k) => (await run(k, code.replace)).types.includes("update_display_data")));
  const { imports, anew } = await inFresh((k) => importsFile(kernel, k));
  found["imports local files of its language"] = imports;
  found["reloads them after changes"] = anew;
  return found;
}
