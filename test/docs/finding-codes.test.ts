import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const declaration = join("src", "core", "finding.ts");
const union = /export type FindingCode =([^;]+);/.exec(readFileSync(declaration, "utf8"))?.[1] ?? "";
/** The compiler lets a finding have no other. */
const codes = [...union.matchAll(/\| "([a-z-]+)"/g)].map(([, code]) => code ?? "");

const guide = readFileSync("docs/guide/reading.md", "utf8");
const section = guide.slice(guide.indexOf("## Findings"), guide.indexOf("## Keys and people"));
const rows = [...section.matchAll(/^\| `([a-z-]+)` \| (.+) \| (.+) \|$/gm)].slice(1);
const table = rows.map(([, code]) => code ?? "");

describe("codes of findings", () => {
  it("stand in the guide, each once, with what they mean and what to do", () => {
    expect(codes.length).toBeGreaterThan(40);
    expect(table).toEqual([...codes].sort());
    for (const [row, , means = "", todo = ""] of rows) {
      expect(means.trim().length, row).toBeGreaterThan(10);
      expect(todo.trim(), row).not.toBe("");
    }
  });

  it("are all found by something", () => {
    const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && join("src", name) !== declaration)
      .map((name) => readFileSync(join("src", name), "utf8"));
    const unused = codes.filter((code) => !sources.some((text) => text.includes(`"${code}"`)));
    expect(unused).toEqual([]);
  });
});
