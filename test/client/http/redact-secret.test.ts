import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactSecret, secretRedactor } from "../../../src/client/http/redact-secret.js";
import { randomRuns } from "../../support/random-runs.js";

const each = (text: string, encode: (code: number, char: string) => string) =>
  [...text].map((char) => encode(char.charCodeAt(0), char)).join("");
const hex = (code: number) => code.toString(16).padStart(2, "0");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** Forms of a key in a response. */
const carriers: Readonly<Record<string, (key: string) => string>> = {
  raw: (key) => key,
  header: (key) => `Authorization: ApiKey ${key}`,
  "in upper case": (key) => key.toUpperCase(),
  "in a URL": (key) => `?key=${encodeURIComponent(key)}`,
  "in a form": (key) => new URLSearchParams({ key }).toString(),
  "percent-encoded": (key) => each(key, (code) => `%${hex(code)}`),
  "percent-encoded twice": (key) => encodeURIComponent(encodeURIComponent(key)),
  "in JSON": (key) => JSON.stringify({ key }),
  "in JSON in JSON": (key) => JSON.stringify(JSON.stringify({ key })),
  "in escapes of JSON": (key) => each(key, (code) => `\\u00${hex(code)}`),
  "in HTML": (key) => each(key, (_, char) => (named[char] ? `&${named[char]};` : char)),
  "in numbers of HTML": (key) => each(key, (code) => `&#${code};`),
  "in hexadecimal numbers of HTML": (key) => each(key, (code) => `&#x${hex(code).toUpperCase()};`),
  base64,
  "base64 of a header": (key) => base64(`ApiKey ${key}`),
  "base64 with a user": (key) => base64(`u:${key}\n`),
  "base64 for URLs": (key) => Buffer.from(`?${key}&`).toString("base64url"),
  "base64 in a URL": (key) => encodeURIComponent(base64(`${key}!`)),
  hexadecimal: (key) => Buffer.from(key).toString("hex"),
};

/** All ways to decode a string. */
function readings(text: string): string[] {
  const percent = (from: string) =>
    from.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
  const plain = [text, percent(text), percent(percent(text))];
  const entities = plain.map((from) =>
    from
      .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
      .replace(/&(\w+);/g, (all, name) => Object.keys(named).find((char) => named[char] === name) ?? all),
  );
  const escapes = plain.flatMap((from) => {
    const decoded = from.replace(/\\u00([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
    return [decoded, decoded.replace(/\\(.)/g, "$1"), decoded.replace(/\\(.)/g, "$1").replace(/\\(.)/g, "$1")];
  });
  const packed = plain.flatMap((from) =>
    (from.match(/[\w+/-]{4,}/g) ?? []).flatMap((run) => [
      ...[0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1")),
      Buffer.from(run, "hex").toString("latin1"),
    ]),
  );
  return [...plain, ...entities, ...escapes, ...packed].map((reading) => reading.toLowerCase());
}

/** Whether four consecutive characters of the key can be read. */
function leaks(text: string, key: string): boolean {
  const parts = Array.from({ length: key.length - 3 }, (_, index) => key.slice(index, index + 4).toLowerCase());
  return readings(text).some((reading) => parts.some((part) => reading.includes(part)));
}

const char = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const anyKey = fc.oneof(
  fc.string({ unit: char, minLength: 12, maxLength: 60 }),
  fc.stringMatching(/^[A-Za-z0-9_-]{16,48}$/),
  fc.uuid(),
);

describe("a string without the key", () => {
  it.each(Object.entries(carriers))("cannot be read back to it: %s", (_, carry) => {
    fc.assert(
      fc.property(anyKey, fc.constantFrom("", "é ", "«", "%", "\\", "&#"), (key, around) => {
        // A key may share four characters with the words around it, which reveal nothing.
        for (const words of [`${carry("")}[key]`, carry("[key]")]) fc.pre(!leaks(`${around}${words}${around}`, key));
        const text = `${around}${carry(key)}${around}`;
        expect(leaks(text, key)).toBe(true);
        const scrubbed = secretRedactor(key)(text);
        expect(scrubbed).toContain("[key]");
        expect(leaks(scrubbed, key)).toBe(false);
      }),
      { numRuns: randomRuns(200) },
    );
  });

  it("has no beginning of the key if it was cut", () => {
    const key = "k9_Zq7x-41aabbcc";
    for (let kept = 4; kept < key.length; kept += 1) {
      expect(secretRedactor(key)(`"ApiKey ${key.slice(0, kept)}… and on`)).toBe('"ApiKey [key]… and on');
    }
  });

  it.each(["%6", "%256", "\\u00", "\\", "&#1", "&"])("has no beginning of the key if it was cut within %j", (part) => {
    expect(secretRedactor("k9_Zq7x-41aabbcc")(`k9_%5aq7${part}… and on`)).toBe("[key]… and on");
  });

  it("is unchanged otherwise", () => {
    const scrub = secretRedactor("0f8fad5b-d9cb-469f-a165-70867728950e");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(scrub(text)).toBe(text);
      }),
    );
    expect(scrub("GET https://host/sites?_page=1&site_id%5B%5D=2 …")).toBe(
      "GET https://host/sites?_page=1&site_id%5B%5D=2 …",
    );
  });

  it("keeps its words if the key is very short", () => {
    expect(secretRedactor("k")('blocks: "ApiKey k" or key=k&')).toBe('blocks: "ApiKey [key]" or key=[key]&');
  });

  it("is replaced in shared and circular objects", () => {
    const scrub = secretRedactor("k9_Zq7x-41aabbcc");
    const facts: Record<string, unknown> = { url: "?key=k9_Zq7x-41aabbcc" };
    facts["self"] = [facts];
    const [first, second] = redactSecret([facts, facts], scrub) as Record<string, unknown>[];
    expect(first).toBe(second);
    expect(first?.["url"]).toBe("?key=[key]");
    expect(first).toMatchObject({ self: [{ url: "?key=[key]" }] });
    expect(facts["url"]).toContain("k9_Zq7x");
    const error = new Error("outer", { cause: new Error("inner") });
    const shared = { url: "?key=k9_Zq7x-41aabbcc" };
    Object.assign(error, { facts: shared });
    Object.assign(error.cause as Error, { facts: shared });
    redactSecret(error, scrub);
    for (const each of [error, error.cause]) expect(each).toMatchObject({ facts: { url: "?key=[key]" } });
    const clean = { list: ["plain"], by: { name: 1 } };
    expect(redactSecret(clean, scrub)).toBe(clean);
  });

  it("is found in linear time for hostile strings", () => {
    const scrub = secretRedactor("\\\\\\\\\\\\aaaaaaaaaaaaaaaaaaaaaaaaaaaa%%%%&&&&&");
    for (const bad of ["\\", "a", "%", "%25", "&amp;", "&#", "=", "A", "…"]) {
      expect(typeof scrub(bad.repeat(5000))).toBe("string");
    }
  });
});
