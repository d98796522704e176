import { Transform } from "node:stream";
import { requestLimits } from "./tool-arguments.js";

const NEWLINE = 10;

/** Bytes at the start and end of a message that are searched for its id. */
const ENDS = 1000;

/** Positions of the id: after the version, or last. */
const ids = [
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*,/,
  /,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/,
];

/**
 * Passes messages (lines) of at most 4 MB. A longer one is dropped without being stored, and refused by its id if the
 * id is found.
 *
 * @param refuse receives the JSON answer to a message that is too long
 */
export function limitMessages(refuse: (answer: string) => void, most: number = requestLimits.messageBytes): Transform {
  let parts: Buffer[] = [];
  let length = 0;
  let start = Buffer.alloc(0);
  let end = Buffer.alloc(0);
  const take = (part: Buffer) => {
    if (length < ENDS) start = Buffer.concat([start, part]).subarray(0, ENDS);
    length += part.length;
    if (length <= most) {
      parts.push(part);
      return;
    }
    end = Buffer.concat([end, ...parts.slice(-1), part]).subarray(-ENDS);
    parts = [];
  };
  const finish = (output: Transform) => {
    if (length > most) refuse(refusal([start, end], most));
    else output.push(Buffer.concat(parts));
    [parts, length, start, end] = [[], 0, Buffer.alloc(0), Buffer.alloc(0)];
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at + 1));
        finish(this);
        from = at + 1;
      }
      if (from < chunk.length) take(Buffer.from(chunk.subarray(from)));
      done();
    },
  });
}

function refusal(ends: readonly Buffer[], most: number): string {
  const id = ids.flatMap((pattern, index) => pattern.exec(String(ends[index]))?.[1] ?? [])[0];
  const error = { code: -32600, message: `The message is longer than ${most / 1_000_000} MB. Send a smaller request.` };
  return JSON.stringify({ jsonrpc: "2.0", id: id === undefined ? null : (JSON.parse(id) as unknown), error });
}
