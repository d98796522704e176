import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requestLine } from "../../../src/cli/output/terminal.js";
import { SnapshotError } from "../../../src/core/errors.js";
import type { ServedRequest } from "../../../src/service/answers/respond.js";
import { randomRuns } from "../../support/random-runs.js";

const at = new Date("2026-01-02T03:04:05.678Z");
const served = (request: Partial<ServedRequest>): ServedRequest => ({
  method: "GET",
  target: "/sites?id=12",
  status: 200,
  bytes: 345,
  durationMs: 12.345,
  ...request,
});

describe("the log line of a request", () => {
  it("contains the time, request, status, size and duration", () => {
    expect(requestLine(served({}), [], at)).toBe("2026-01-02T03:04:05.678Z GET /sites?id=12 200 345 bytes 12.3 ms");
    expect(requestLine(served({ status: 499, bytes: 0 }), [], at)).toContain(" 499 (client disconnected) 0 bytes ");
  });

  it("contains the error, its hint and its causes", () => {
    const cause = new Error("IO Error: broken\n\nLINE 1: …");
    const error = new SnapshotError("/data/a.parquet is missing.", { hint: "Restore it.", cause });
    expect(requestLine(served({ status: 500, error }), [], at)).toMatch(
      / 500 345 bytes 12\.3 ms: SnapshotError: \/data\/a\.parquet is missing\. Restore it\. Caused by Error: IO Error: broken LINE 1: …$/,
    );
    expect(requestLine(served({ status: 500, error: "just text" }), [], at)).toMatch(/: just text$/);
  });

  it("contains no values of unknown parameters, and no user information", () => {
    const line = requestLine(
      served({ target: "http://me:pass@host/sites?id=1&api_key=s3cret&_page=2&token[]=x" }),
      [],
      at,
    );
    expect(line).toContain(" GET /sites?id=1&api_key=…&_page=2&token[]=… 200 ");
    expect(line).not.toMatch(/pass|s3cret/);
  });

  it("never contains a key, wherever it occurs", () => {
    const character = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code));
    const key = fc.string({ unit: character, minLength: 1, maxLength: 40 }).filter((text) => !text.includes("="));
    const places: readonly ((key: string) => Partial<ServedRequest>)[] = [
      (text) => ({ target: `/sites?id=${encodeURIComponent(text)}` }),
      (text) => ({ target: `/sites/${encodeURIComponent(text)}` }),
      (text) => ({ status: 500, error: new Error(`no row for "${text}"`) }),
      (text) => ({ status: 500, error: new Error("no", { cause: new Error(`got ${text}`) }) }),
    ];
    fc.assert(
      fc.property(key, fc.constantFrom(...places), (text, place) => {
        const shown = requestLine(served(place(text)), [text], at);
        const others = requestLine(served(place("")), [], at);
        // A short key may be part of another word of the line.
        if (others.includes(text)) return;
        expect(shown).not.toContain(text);
        expect(shown).not.toContain(encodeURIComponent(text));
        expect(shown).toContain("…");
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it("contains a long target only in part", () => {
    const line = requestLine(served({ target: `/sites?id=${"1".repeat(60_000)}%` }), ["s3cret"], at);
    expect(line).toMatch(/1{900,}… 200 /);
    expect(line.length).toBeLessThan(1200);
  });

  it("is one line without control characters, whatever the error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = requestLine(served({ status: 500, error: new Error(text) }), [], at);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
      }),
    );
  });
});
