import { afterEach, expect, test } from "vitest";

const file = new URL("../../../assets/lab/saved-states.js", import.meta.url);

interface States {
  use(model: object): void;
  handleEvent(event: { readonly source: unknown; readonly data: unknown }): void;
}

/** A frame that records its messages. */
function frame() {
  const messages: unknown[] = [];
  return { messages, contentWindow: { postMessage: (message: unknown) => messages.push(message) } };
}

const { SavedStates } = (await import(file.href)) as { SavedStates: new (node: unknown) => States };
const frames = [frame(), frame()];
let metadata: Readonly<Record<string, unknown>> = { other: 1 };
const model = {
  get metadata() {
    return metadata;
  },
  setData: (given: { readonly metadata: typeof metadata }) => {
    metadata = given.metadata;
  },
};
const states = new SavedStates({ querySelectorAll: () => frames });
states.use(model);
const from = (index: number, more: object) =>
  states.handleEvent({ source: frames[index]?.contentWindow, data: { siteframe: "state", version: 1, ...more } });

afterEach(() => {
  metadata = { other: 1 };
  for (const { messages } of frames) messages.length = 0;
});

test("saves the state of each view in the metadata of the output, and returns it", () => {
  from(1, { type: "save", state: { find: "x" } });
  expect(metadata).toEqual({ other: 1, siteframe: { views: { 1: { find: "x" } } } });
  from(0, { type: "save", state: { find: "y" } });
  from(0, { type: "hello" });
  from(1, { type: "hello" });
  expect(frames.map(({ messages }) => messages)).toEqual([
    [{ siteframe: "state", version: 1, type: "state", state: { find: "y" } }],
    [{ siteframe: "state", version: 1, type: "state", state: { find: "x" } }],
  ]);
});

test("ignores other frames, other messages and very long states", () => {
  states.handleEvent({ source: {}, data: { siteframe: "state", version: 1, type: "save", state: {} } });
  states.handleEvent({ source: frames[0]?.contentWindow, data: null });
  from(0, { siteframe: "table", type: "save", state: {} });
  from(0, { version: 2, type: "save", state: {} });
  from(0, { type: "save", state: { find: "x".repeat(300_000) } });
  from(0, { type: "hello" });
  expect(metadata).toEqual({ other: 1 });
  expect(frames[0]?.messages).toEqual([]);
});
