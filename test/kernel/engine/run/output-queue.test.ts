import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputQueue } from "../../../../src/kernel/engine/run/output-queue.js";
import { RecordingSink } from "../recording-sink.js";

const texts = fc.string({ unit: "binary", maxLength: 30 });
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 60, maxLength: 60 });

/** Cuts bytes into pieces of the given sizes, wherever that is in a character. */
function pieces(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const cut: Uint8Array[] = [];
  let rest = bytes;
  for (const length of lengths) {
    cut.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return [...cut, rest].filter(({ length }) => length > 0);
}

test("bytes are text as a whole, wherever they are cut, for each stream by itself", async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, sizes, async (out, err, lengths) => {
      const sink = new RecordingSink();
      const queue = new OutputQueue(sink, (error) => expect(error).toBeUndefined());
      const errors = pieces(Buffer.from(err), lengths);
      for (const piece of pieces(Buffer.from(out), lengths)) {
        queue.write("stdout", piece);
        const other = errors.shift();
        if (other) queue.write("stderr", other);
      }
      for (const other of errors) queue.write("stderr", other);
      await queue.drained();
      const written = (name: string) =>
        sink.events.map((event) => (String(event).startsWith(name) ? String(event).slice(name.length) : "")).join("");
      expect([written("stdout: "), written("stderr: ")]).toEqual([out, err]);
    }),
  );
});
