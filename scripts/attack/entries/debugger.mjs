// Requests of the Debug Adapter Protocol on the kernel's control channel.
import fc from "fast-check";
import { startKernel } from "../kernel-target.mjs";
import { damagedJson } from "../mutations.mjs";
import { codes } from "./kernel.mjs";

const cell = "function twice(x: number) {\n  const result = 2 * x;\n  return result;\n}\ntwice(keep);";
const requests = [
  { command: "initialize", arguments: { clientID: "a", adapterID: "b", pathFormat: "path", linesStartAt1: true } },
  { command: "attach", arguments: {} },
  { command: "dumpCell", arguments: { code: cell } },
  {
    command: "setBreakpoints",
    arguments: { source: { path: "/tmp/x.ts" }, breakpoints: [{ line: 2, condition: "true" }], sourceModified: false },
  },
  { command: "setExceptionBreakpoints", arguments: { filters: ["raised"] } },
  { command: "configurationDone", arguments: {} },
  { command: "debugInfo", arguments: {} },
  { command: "inspectVariables", arguments: {} },
  { command: "richInspectVariables", arguments: { variableName: "keep", frameId: 1 } },
  { command: "threads", arguments: {} },
  { command: "stackTrace", arguments: { threadId: 1, startFrame: 0, levels: 20 } },
  { command: "scopes", arguments: { frameId: 1 } },
  { command: "variables", arguments: { variablesReference: 1, start: 0, count: 10 } },
  { command: "evaluate", arguments: { expression: "keep + 1", frameId: 1, context: "repl" } },
  { command: "source", arguments: { source: { path: "/etc/passwd", sourceReference: 0 } } },
  { command: "modules", arguments: { startModule: 0, moduleCount: 10 } },
  { command: "copyToGlobals", arguments: { srcVariableName: "keep", dstVariableName: "copy", srcFrameId: 1 } },
  { command: "continue", arguments: { threadId: 1 } },
  { command: "next", arguments: { threadId: 1 } },
  { command: "stepIn", arguments: { threadId: 1 } },
  { command: "pause", arguments: { threadId: 1 } },
].map((request, index) => ({ type: "request", seq: index + 1, ...request }));

const sent = (content) => ({
  channel: "control",
  type: "debug_request",
  content: typeof content === "string" ? content : JSON.stringify(content),
});
const valid = ["initialize", "attach"].map((command) => sent(requests.find((one) => one.command === command)));
const evaluated = (expression) => [
  ...valid,
  sent({ type: "request", seq: 9, command: "evaluate", arguments: { expression } }),
];

const request = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...requests)
      .chain((one) => damagedJson(one))
      .map(sent),
  },
  {
    weight: 1,
    arbitrary: codes.map((code) => sent({ type: "request", seq: 9, command: "dumpCell", arguments: { code } })),
  },
  {
    weight: 1,
    arbitrary: codes.map((code) =>
      sent({
        type: "request",
        seq: 9,
        command: "setBreakpoints",
        arguments: { source: { path: "x" }, breakpoints: [{ line: 1, condition: code }] },
      }),
    ),
  },
);

export async function prepare(folder) {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  return {
    corpus: [
      { name: "valid", input: { messages: evaluated("keep + 1"), isOneByOne: true } },
      {
        name: "an interrupt of an evaluation",
        input: { messages: evaluated("while (true) {}"), isOneByOne: true, interrupts: true },
      },
      { name: "a deep expression", input: { messages: evaluated(deep), isOneByOne: true } },
      {
        name: "a deep argument",
        input: {
          messages: [...valid, sent(`{"type":"request","seq":3,"command":"scopes","arguments":{"frameId":${deep}}}`)],
        },
      },
    ],
    arbitrary: fc.record({
      messages: fc.array(request, { minLength: 1, maxLength: 4 }).map((all) => [...valid, ...all]),
      isOneByOne: fc.boolean(),
    }),
    typed: (input) => JSON.stringify(input),
    start: () => startKernel(folder),
  };
}
