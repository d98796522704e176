// An editor's messages to `siteframe lsp`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { damagedJson } from "../mutations.mjs";
import { untypedProblems } from "../untyped.mjs";
import { watchOutput } from "../watch-output.mjs";
import { codes } from "./kernel.mjs";

const main = join(import.meta.dirname, "../../../dist/cli/main.js");
const uri = "file:///attack/n.ipynb";
const texts = ["const first = 1;\nconst list = [first, 2];", "list.map((one) => one.toFixed(first));\nlis"];
const opened = (all, notebook = uri) => ({
  method: "notebookDocument/didOpen",
  params: {
    notebookDocument: {
      uri: notebook,
      notebookType: "jupyter-notebook",
      version: 1,
      cells: all.map((_, index) => ({ kind: 2, document: `${notebook}#${index}` })),
    },
    cellTextDocuments: all.map((text, index) => ({
      uri: `${notebook}#${index}`,
      languageId: "typescript",
      version: 1,
      text,
    })),
  },
});
const closed = (notebook = uri) => ({
  method: "notebookDocument/didClose",
  params: {
    notebookDocument: { uri: notebook },
    cellTextDocuments: texts.map((_, index) => ({ uri: `${notebook}#${index}` })),
  },
});
const at = { textDocument: { uri: `${uri}#1` }, position: { line: 0, character: 7 } };
const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 2 } };
const requests = [
  { method: "textDocument/hover", params: at },
  { method: "textDocument/completion", params: { ...at, context: { triggerKind: 1 } } },
  { method: "completionItem/resolve", params: { label: "x", data: { uri: `${uri}#1`, key: "1", kept: {} } } },
  { method: "textDocument/signatureHelp", params: { ...at, context: { isRetrigger: false, triggerKind: 1 } } },
  { method: "textDocument/definition", params: at },
  { method: "textDocument/references", params: { ...at, context: { includeDeclaration: true } } },
  { method: "textDocument/rename", params: { ...at, newName: "other" } },
  { method: "textDocument/prepareRename", params: at },
  {
    method: "textDocument/codeAction",
    params: { textDocument: at.textDocument, range, context: { diagnostics: [], only: ["quickfix"] } },
  },
  { method: "textDocument/diagnostic", params: { textDocument: at.textDocument } },
];
const notifications = [
  opened(texts),
  closed(),
  {
    method: "notebookDocument/didChange",
    params: {
      notebookDocument: { uri, version: 2 },
      change: {
        cells: { textContent: [{ document: { uri: `${uri}#1`, version: 2 }, changes: [{ range, text: "x" }] }] },
      },
    },
  },
  {
    method: "notebookDocument/didChange",
    params: {
      notebookDocument: { uri, version: 3 },
      change: { cells: { structure: { array: { start: 0, deleteCount: 1, cells: [] } } } },
    },
  },
  {
    method: "textDocument/didOpen",
    params: { textDocument: { uri: "file:///attack/a.ts", languageId: "typescript", version: 1, text: "// %%\n1" } },
  },
  {
    method: "textDocument/didChange",
    params: { textDocument: { uri: "file:///attack/a.ts", version: 2 }, contentChanges: [{ range, text: "x" }] },
  },
  { method: "$/cancelRequest", params: { id: 1 } },
];

const message = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...requests), fc.nat(1000))
      .chain(([one, id]) => damagedJson({ jsonrpc: "2.0", id, ...one })),
  },
  { weight: 2, arbitrary: fc.constantFrom(...notifications).chain((one) => damagedJson({ jsonrpc: "2.0", ...one })) },
  { weight: 3, arbitrary: codes.map((code) => JSON.stringify({ jsonrpc: "2.0", ...opened([code, texts[1]]) })) },
);
const deepCode = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;

export async function prepare() {
  return {
    corpus: [
      {
        name: "valid",
        input: { messages: [{ jsonrpc: "2.0", id: 1, ...requests[0] }].map((one) => JSON.stringify(one)) },
      },
      { name: "a notebook of deep code", input: { messages: [JSON.stringify(opened([deepCode, "1"]))] } },
      {
        name: "a deep message",
        input: {
          messages: [
            `{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
          ],
        },
      },
    ],
    arbitrary: fc.record({ messages: fc.array(message, { minLength: 1, maxLength: 5 }) }),
    typed: (input) => JSON.stringify(input),
    start,
  };
}

async function start() {
  const child = spawn(process.execPath, [main, "lsp", "--stdio"], { stdio: "pipe" });
  child.stdin.on("error", () => undefined);
  const output = watchOutput(child, ["stderr"]);
  const ended = once(child, "exit").then(([code, signal]) => `the server ended with ${signal ?? code}`);
  const waiting = new Map();
  const heard = [];
  readMessages(child.stdout, (answer) => {
    if (answer.error) heard.push(answer.error);
    if (answer.method === "window/logMessage") heard.push({ message: answer.params.message });
    waiting.get(JSON.stringify(answer.id))?.();
  });
  const write = (body) => child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const send = (one) => write(JSON.stringify({ jsonrpc: "2.0", ...one }));
  const answered = (id) => new Promise((resolve) => waiting.set(JSON.stringify(id), resolve));
  let count = 0;
  const request = (one) => {
    count += 1;
    const id = `own-${count}`;
    const answer = answered(id);
    send({ id, ...one });
    return answer;
  };
  await Promise.race([
    request({
      method: "initialize",
      params: { processId: null, rootUri: null, capabilities: { textDocument: { diagnostic: {} } } },
    }),
    ended,
  ]);
  send({ method: "initialized", params: {} });
  send(opened(["const a = 1;", "a"], "file:///attack/warm.ipynb"));
  const warm = { textDocument: { uri: "file:///attack/warm.ipynb#1" }, position: { line: 0, character: 0 } };
  const ping = () => request({ method: "textDocument/hover", params: warm });
  await ping();
  return {
    pid: child.pid,
    ended,
    output,
    async ask({ messages }) {
      heard.length = 0;
      send(opened(texts));
      const answers = [];
      const asked = new Set();
      for (const text of messages) {
        const id = requestId(text);
        // A second request of one id is refused, which answers both.
        if (id !== undefined && !asked.has(JSON.stringify(id))) answers.push(answered(id));
        asked.add(JSON.stringify(id));
        write(text);
      }
      const all = Promise.all([...answers, ping()]);
      const isLate = await Promise.race([all.then(() => false), pause(10_000, true, { ref: false })]);
      send(closed());
      const texted = heard.map((error) => JSON.stringify(error));
      return {
        problems: [...(isLate ? ["a request is not answered"] : []), ...texted.flatMap(untypedProblems)],
        messages: texted,
      };
    },
    stop() {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** The id of what is a request. */
/** The id of a request that is answered by it. A message that is nested too deeply is answered without an id. */
function requestId(text) {
  try {
    if (depthOf(text) > 500) return undefined;
    const { id, method } = JSON.parse(text);
    return typeof method === "string" &&
      method !== "$/cancelRequest" &&
      (typeof id === "number" || typeof id === "string")
      ? id
      : undefined;
  } catch {
    return undefined;
  }
}

/** How many arrays and objects of JSON are within each other. */
function depthOf(text) {
  let [depth, most] = [0, 0];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/g)) {
    if (token === "[" || token === "{") most = Math.max(most, ++depth);
    else if (token === "]" || token === "}") depth -= 1;
  }
  return most;
}

function readMessages(stream, take) {
  let rest = Buffer.alloc(0);
  stream.on("data", (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const head = rest.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, head).toString())?.[1]);
      if (rest.length < head + 4 + length) return;
      const body = rest.subarray(head + 4, head + 4 + length).toString();
      rest = rest.subarray(head + 4 + length);
      take(JSON.parse(body));
    }
  });
}
