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
  it("gives each body its bytes, whatever length was announced, and never to two at once", async () => {
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

  it("is used again while other bodies are in use, and let go with the last", async () => {
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

  it("listens to a signal once, however often a waiting body is woken", async () => {
    const buffers = new BodyBuffers();
    const body = new Uint8Array(16 << 20);
    const read = (signal: AbortSignal, bytes = body) => buffers.read(chunks(bytes, 1 << 20), bytes.length, signal);
    const [first] = [await read(never), await read(never)];
    const small = await Promise.all(Array.from({ length: 20 }, () => read(never, new Uint8Array(1000))));
    const { signal } = new AbortController();
    const waiting = read(signal);
    for (const each of small) {
      buffers.give(each);
      await setImmediate();
      expect(getEventListeners(signal, "abort").length).toBeLessThan(2);
    }
    buffers.give(first);
    await waiting;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is bounded: a body waits until others were given back", async () => {
    const buffers = new BodyBuffers();
    const chunk = new Uint8Array(1 << 20);
    const big = () => Readable.from(Array.from({ length: 16 }, () => chunk));
    const held = [await buffers.read(big(), 16 << 20, never), await buffers.read(big(), 16 << 20, never)];
    let arrived = false;
    const third = buffers.read(big(), 16 << 20, never).then((bytes) => {
      arrived = true;
      return bytes;
    });
    const small = await buffers.read(chunks(chunk, 65_536), undefined, never);
    expect(arrived).toBe(false);
    for (const bytes of held) buffers.give(bytes);
    expect((await third).length).toBe(16 << 20);
    buffers.give(small);
    buffers.give(await third);
  });

  it("waits no longer than its request", async () => {
    const buffers = new BodyBuffers();
    const whole = new Uint8Array(16 << 20);
    const read = (signal: AbortSignal) => buffers.read(chunks(whole, 1 << 20), whole.length, signal);
    const held = [await read(never), await read(never)];
    const stop = new AbortController();
    const [stopped, patient] = [read(stop.signal), read(never)];
    stop.abort(new Error("stopped"));
    await expect(stopped).rejects.toThrow("stopped");
    for (const bytes of held) buffers.give(bytes);
    expect((await patient).length).toBe(16 << 20);
  });

  it("takes a body beyond every bound alone, and one whose length was a lie", async () => {
    const buffers = new BodyBuffers();
    const whole = new Uint8Array(60 << 20).fill(1);
    const bytes = await buffers.read(chunks(whole, 1 << 20), 1e15, never);
    expect(Buffer.compare(bytes, whole)).toBe(0);
  });

  it("is free again after a body that broke off", async () => {
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
    const buffers = new BodyBuffers();
    const length = 16 << 20;
    const read = () => buffers.read(chunks(new Uint8Array(length), 1 << 20), length, never);
    const others = [await read(), await read()];
    const body = new PassThrough();
    const waiting = buffers.read(body, length, never);
    body.destroy(new Error("reset"));
    await setImmediate();
    for (const other of others) buffers.give(other);
    await expect(waiting).rejects.toThrow("reset");
  });
});
