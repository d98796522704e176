import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diagnosticSeverities } from "../../src/core/diagnostic.js";

const declaration = join("core", "diagnostic.ts");
const codes = Object.keys(diagnosticSeverities);

test("codes have a meaning and a fix in the reference, and an anchor", () => {
  const texts = JSON.parse(readFileSync("scripts/reference/diagnostics.json", "utf8")) as object;
  const page = readFileSync("docs/api/diagnostics.md", "utf8");
  expect(Object.keys(texts)).toEqual(codes);
  expect(codes).toEqual(codes.toSorted());
  for (const [code, { meaning, fix }] of Object.entries(texts)) {
    expect(meaning.length, code).toBeGreaterThan(10);
    expect(fix, code).toMatch(/\.$/);
    expect(page).toContain(`<a id="${code}"></a>`);
  }
});

test("codes are all in use", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== declaration)
    .map((name) => readFileSync(join("src", name), "utf8"));
  expect(codes.filter((code) => !sources.some((text) => text.includes(`"${code}"`)))).toEqual([]);
});
