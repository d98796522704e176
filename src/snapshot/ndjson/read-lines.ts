import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";

/** One line of a file, and its text without the line end or why it has none. Lines are counted from 1. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly text?: undefined; readonly problem: string };

const NEWLINE = 10;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = "\ufeff";

/**
 * The lines of a text file. Lines end in `\n` or `\r\n` and nowhere else: a JSON text may hold U+2028, which
 * `node:readline` takes for a line end.
 *
 * @param mostBytes of a line; what is behind them is passed over, and not kept
 */
export async function* readLines(path: string, mostBytes: number): AsyncGenerator<Line, void, undefined> {
  let rest: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= mostBytes) rest.push(part);
    else rest = [];
  };
  const take = (): Line => {
    const [content, length] = [Buffer.concat(rest), bytes];
    rest = [];
    bytes = 0;
    number += 1;
    if (length > mostBytes) {
      return { number, problem: `has ${length} bytes, and a record of more than ${mostBytes} cannot be stored` };
    }
    const text = decode(content, number);
    return text === undefined ? { number, problem: "is not valid UTF-8" } : { number, text };
  };
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

function decode(content: Buffer, number: number): string | undefined {
  if (!isUtf8(content)) return undefined;
  const text = content.toString("utf8");
  return number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
