// Questions of a table to its kernel, for rows.
import type { RowQuestion } from "../../tables/display/live/arrange-rows.js";
import type { EmbeddedColumn } from "../../tables/display/live/embedded-column.js";
import { type Message, openChannel } from "../page/channel.js";

/** Timeout for a page to confirm that it forwards messages. */
const MOMENT = 1000;
/** After this time the table reports that the kernel is slow: it may be running a cell. */
const SLOW = 400;

interface Answer {
  readonly of: number;
  readonly cells: readonly EmbeddedColumn[];
}

export interface KernelChannel {
  readonly state: "unasked" | "open" | "silent" | "gone";
  /** Whether a response takes long. */
  readonly isWaiting: boolean;
  /** Checks whether a kernel responds. */
  hello(): void;
  /** The requested rows; rejects if no kernel returns them. */
  ask(question: RowQuestion): Promise<Answer>;
}

interface ChannelOptions {
  /** Name of the table in the kernel. */
  readonly name: string | undefined;
  /** Number of its columns. */
  readonly columns: number;
  /** Called when the kernel becomes available or unavailable. */
  onChange(): void;
  /** Called when a response takes long, and when it arrives. */
  onWait(): void;
}

/** Contacts the page around the frame. */
export function openKernelChannel({ name, columns, onChange, onWait }: ChannelOptions): KernelChannel {
  /** Requests without a response, by number. */
  const open = new Map<
    unknown,
    { resolve(answer: Answer): void; reject(error: Error): void; readonly rows: RowQuestion["rows"] }
  >();
  let [count, wait, slow] = [0, 0, 0];
  const send = openChannel("table", (message) => {
    const { type, table = name } = message;
    if (table === name && Object.hasOwn(handlers, type as string)) handlers[type as string]?.(message);
  });
  const post = (type: string, more: object = {}) => send(type, { table: name, ...more });
  const channel = {
    state: "unasked" as KernelChannel["state"],
    isWaiting: false,
    hello: () => {
      post("hello");
      clearTimeout(wait);
      wait = setTimeout(() => turn("silent"), MOMENT);
    },
    ask: (question: RowQuestion) =>
      new Promise<Answer>((resolve, reject) => {
        count += 1;
        open.set(count, { resolve, reject, rows: question.rows });
        slow ||= setTimeout(() => {
          channel.isWaiting = true;
          onWait();
        }, SLOW);
        post("ask", { id: count, ...question });
      }),
  };
  const settle = () => {
    if (open.size > 0) return;
    clearTimeout(slow);
    slow = 0;
    if (!channel.isWaiting) return;
    channel.isWaiting = false;
    onWait();
  };
  const turn = (state: KernelChannel["state"]) => {
    clearTimeout(wait);
    const isOpen = state === "open";
    channel.state = state;
    const left = [...open.values()];
    if (!isOpen) open.clear();
    settle();
    onChange();
    if (!isOpen) for (const { reject } of left) reject(new Error(state));
  };
  const takeAsked = (id: unknown) => {
    const asked = open.get(id);
    open.delete(id);
    settle();
    return asked;
  };
  const handlers: Readonly<Record<string, (message: Message) => void>> = {
    wake: channel.hello,
    hello: () => {
      clearTimeout(wait);
      if (channel.state !== "open") turn("open");
    },
    bye: () => turn("silent"),
    gone: () => turn("gone"),
    refusal: ({ id, text }) => takeAsked(id)?.reject(new Error(isText(text) ? text : "rejected by the kernel")),
    answer: (message) => {
      const asked = takeAsked(message["id"]);
      if (!asked) return;
      if (isAnswer(message, asked.rows, columns)) asked.resolve(message as unknown as Answer);
      else asked.reject(new Error("invalid response"));
    },
  };
  return channel;
}

function isAnswer(message: Message, asked: RowQuestion["rows"], columns: number): boolean {
  const { rows, of, cells, cut } = message;
  if (!isList(rows, 2, isCount) || !isCount(of) || !isCount(cut)) return false;
  const [from, to] = rows as [number, number];
  if (from !== Math.min(of, asked[0]) || to !== Math.min(of, asked[1])) return false;
  return isList(cells, columns, (column) => isColumn(column, to - from));
}

/** A column with a number of rows, as `embedColumn()` creates it. */
function isColumn(column: unknown, length: number): boolean {
  if (typeof column !== "object" || column === null) return false;
  const { kind, numbers, texts, codes, unit = 1, from = 0, isDelta, odd = [], words = [] } = column as Message;
  const isOdd = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && isCount(pair[0]) && isText(pair[1]);
  if (![odd, words].every((pairs) => isList(pairs, undefined, isOdd))) return false;
  if (texts !== undefined) {
    const isCode = (code: unknown) => code === -1 || (isCount(code) && code < (texts as readonly string[]).length);
    const isKind = kind === "text" || kind === "number" || kind === "date";
    return isKind && isList(texts, undefined, isText) && isList(codes, length, isCode);
  }
  const isFound = isList(numbers, length, (value) => value === null || isNumber(value));
  return (kind === "number" || kind === "date") && isFound && isNumber(unit) && isNumber(from) && isDelta !== false;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isList(value: unknown, length: number | undefined, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length === (length ?? value.length) && value.every(is);
}
