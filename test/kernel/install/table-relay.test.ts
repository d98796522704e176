import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** The type of the extension's class, which is plain JavaScript. */
interface Relay {
  listen(): void;
  handleEvent(event: { readonly source: object; readonly data: object }): void;
}

const file = new URL("../../../assets/lab/table-relay.js", import.meta.url);
const { TableRelay } = (await import(file.href)) as {
  readonly TableRelay: new (node: object, sessionOf: () => object) => Relay;
};

/** A comm of JupyterLab. The test is the kernel. */
interface Comm {
  onMsg(message: { readonly content: { readonly data: object } }): void;
  open(data: object): void;
}

const message = (type: string) => ({ siteframe: "table", version: 1, type, table: "t1" });

beforeEach(() => void vi.stubGlobal("addEventListener", () => {}));
afterEach(() => void vi.unstubAllGlobals());

function signal() {
  const slots: ((session: unknown, status: string) => void)[] = [];
  return {
    connect: (slot: (session: unknown, status: string) => void, relay: unknown) => void slots.push(slot.bind(relay)),
    emit: (status: string) => slots.forEach((slot) => void slot(undefined, status)),
  };
}

// In JupyterLab, late messages of an ended kernel are rare.
test("a frame receives only messages of its last comm", () => {
  const heard: string[] = [];
  const comms: Comm[] = [];
  const frame = { contentWindow: { postMessage: ({ type }: { type: string }) => void heard.push(type) } };
  const kernel = {
    handleComms: true,
    status: "idle",
    connectionStatus: "connected",
    createComm: () => {
      const comm: Comm = { onMsg: () => {}, open: () => {} };
      comms.push(comm);
      return comm;
    },
  };
  const [kernelChanged, statusChanged, connectionStatusChanged] = [signal(), signal(), signal()];
  const session = { kernelChanged, statusChanged, connectionStatusChanged, session: { kernel } };
  const relay = new TableRelay({ querySelectorAll: () => [frame] }, () => session);
  const hello = () => relay.handleEvent({ source: frame.contentWindow, data: message("hello") });
  const answer = (comm: Comm | undefined, type: string) => comm?.onMsg({ content: { data: message(type) } });

  relay.listen();
  hello();
  connectionStatusChanged.emit("disconnected");
  connectionStatusChanged.emit("connected");
  answer(comms[0], "hello");
  hello();
  answer(comms[0], "hello");
  answer(comms[1], "gone");

  expect(comms).toHaveLength(2);
  expect(heard).toEqual(["wake", "bye", "wake", "gone"]);
});
