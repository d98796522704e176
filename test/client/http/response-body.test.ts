import { getEventListeners, once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyBuffers, decodeStream } from "../../../src/client/http/response-body.js";
import { randomRuns } from "../../support/random-runs.js";

const never = new AbortController().signal;

function chunks(body: Uint8Array, size: number): Readable {
  const starts = Array.from({ length: Math.ceil(body.length / size) }, (_, index) => index * size);
  return Readable.from(starts.map((start) => body.subarray(start, start + size)));
}

/** Buffers whose memory is held by two bodies, and a function that reads another body of their size. */
async function fullBuffers() {
  const buffers = new BodyBuffers();
  const length = 16 << 20;
  const read = (signal = never) => buffers.read(chunks(new Uint8Array(length), 1 << 20), length, signal);
  return { buffers, length, read, held: [await read(), await read()] as const };
}

const body = fc.record({
  length: fc.oneof(fc.nat(300), fc.integer({ min: 60_000, max: 400_000 })),
  fill: fc.integer({ min: 1, max: 255 }),
  size: fc.integer({ min: 1000, max: 70_000 }),
  announced: fc.constantFrom("right", "absent", "too short", "too long"),
});

function announcedLength(kind: string, length: number): number | undefined {
  if (kind === "absent") return undefined;
  return kind === "right" ? length : kind === "too short" ? Math.floor(length / 3) : 3 * length;
}

describe("the memory of bodies", () => {
  it("holds each body separately, for every announced length", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(body, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), async (waves) => {
        const buffers = new BodyBuffers();
        for (const wave of waves) {
          const read = await Promise.all(
            wave.map(({ length, fill, size, announced }) =>
              buffers.read(chunks(new Uint8Array(length).fill(fill), size), announcedLength(announced, length), never),
            ),
          );
          read.forEach((bytes, index) => {
            expect(bytes.length).toBe(wave[index]?.length);
            expect(bytes.every((byte) => byte === wave[index]?.fill)).toBe(true);
          });
          expect(new Set(read.map(({ buffer }) => buffer)).size).toBe(read.length);
          for (const bytes of read) buffers.give(bytes);
        }
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it("is reused while other bodies are in use, and released with the last", async () => {
    const buffers = new BodyBuffers();
    const big = new Uint8Array(200_000);
    const read = () => buffers.read(chunks(big, 65_536), big.length, never);
    const [first, second] = [await read(), await read()];
    buffers.give(first);
    const third = await read();
    expect(third.buffer).toBe(first.buffer);
    buffers.give(second);
    buffers.give(third);
    expect([first.buffer, second.buffer]).not.toContain((await read()).buffer);
  });

  it("adds one listener to the signal of a waiting body", async () => {
    const { buffers, read, held } = await fullBuffers();
    const readSmall = () => buffers.read(chunks(new Uint8Array(1000), 1000), 1000, never);
    const small = await Promise.all(Array.from({ length: 20 }, readSmall));
    const { signal } = new AbortController();
    const waiting = read(signal);
    for (const each of small) {
      buffers.give(each);
      await setImmediate();
      expect(getEventListeners(signal, "abort").length).toBeLessThan(2);
    }
    buffers.give(held[0]);
    await waiting;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is limited: a body waits until others are returned", async () => {
    const { buffers, length, read, held } = await fullBuffers();
    let arrived = false;
    const third = read().then((bytes) => {
      arrived = true;
      return bytes;
    });
    await buffers.read(chunks(new Uint8Array(1 << 20), 65_536), undefined, never);
    expect(arrived).toBe(false);
    for (const bytes of held) buffers.give(bytes);
    expect((await third).length).toBe(length);
  });

  it("stops waiting if the request is aborted", async () => {
    const { buffers, length, read, held } = await fullBuffers();
    const stop = new AbortController();
    const [stopped, patient] = [read(stop.signal), read()];
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    for (const bytes of held) buffers.give(bytes);
    expect((await patient).length).toBe(length);
  });

  it("accepts a single body beyond the limit, with a wrong announced length", async () => {
    const buffers = new BodyBuffers();
    const whole = new Uint8Array(60 << 20).fill(1);
    const bytes = await buffers.read(chunks(whole, 1 << 20), 1e15, never);
    expect(Buffer.compare(bytes, whole)).toBe(0);
  });

  it("is released after an interrupted body", async () => {
    const buffers = new BodyBuffers();
    const held = await buffers.read(chunks(new Uint8Array(10), 10), 10, never);
    const broken = async function* () {
      yield new Uint8Array(100_000);
      throw new Error("reset");
    };
    await expect(buffers.read(Readable.from(broken()), 200_000, never)).rejects.toThrow("reset");
    const next = await buffers.read(chunks(new Uint8Array(200_000).fill(7), 50_000), 200_000, never);
    expect(next.every((byte) => byte === 7)).toBe(true);
    buffers.give(held);
    buffers.give(next);
  });
});

describe("a body that fails before it is read", () => {
  it("is an error for its reader if its coding is cut", async () => {
    const cut = decodeStream(Readable.from([gzipSync("text").subarray(0, 12)]), "gzip");
    await once(cut, "close").catch(() => undefined);
    await expect(finished(cut)).rejects.toThrow("unexpected end of file");
  });

  it("is an error for its reader if its connection ends", async () => {
    const body = new PassThrough();
    const decoded = decodeStream(body, undefined);
    body.destroy(new Error("reset"));
    await setImmediate();
    await expect(finished(decoded)).rejects.toThrow("reset");
  });

  it("is an error for its reader, which waits for memory", async () => {
    const { buffers, length, held } = await fullBuffers();
    const body = new PassThrough();
    const waiting = buffers.read(body, length, never);
    body.destroy(new Error("reset"));
    await setImmediate();
    for (const bytes of held) buffers.give(bytes);
    await expect(waiting).rejects.toThrow("reset");
  });
});
