import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";

/** One line of a file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** The text without its line end; undefined if it is not valid UTF-8. */
  readonly text: string | undefined;
}

const NEWLINE = 10;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = "\ufeff";

/**
 * The lines of a text file. Lines end in `\n` or `\r\n` and nowhere else: a JSON text may hold U+2028, which
 * `node:readline` takes for a line end.
 */
export async function* readLines(path: string): AsyncGenerator<Line, void, undefined> {
  let rest: Buffer[] = [];
  let number = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const content = Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
      yield { number: ++number, text: decode(content, number) };
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  const content = Buffer.concat(rest);
  if (content.length > 0) yield { number: ++number, text: decode(content, number) };
}

function decode(content: Buffer, number: number): string | undefined {
  if (!isUtf8(content)) return undefined;
  const text = content.toString("utf8");
  return number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
