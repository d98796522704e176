import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { rounded, statedRatios } from "../../bench/stated.mjs";
import { documents } from "./documents.js";

interface BenchResult {
  readonly ratios: Readonly<Record<string, { readonly median: number; readonly runs: readonly number[] }>>;
  readonly share: number;
  readonly table?: string;
}

const results: Readonly<Record<string, BenchResult>> = JSON.parse(readFileSync("bench/results.json", "utf8"));
const stated = statedRatios(pathToFileURL("./"));
const files = documents;

const count = String.raw`\b(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand)`;
const claims = [
  `${count} ×`,
  `× ${count}`,
  `${count} times (?:as|the|less|more|faster|slower|larger|smaller)`,
  "(?:twice|half|a third|a quarter|a fifth|a tenth) (?:as (?:fast|long|much)|of the (?:time|memory)|the (?:time|memory|CPU))",
];
const claim = new RegExp(claims.join("|"), "gi");
/** Formulas, which are not about speed. */
const formulas = [
  "100 × `affected_kw`",
  "(1000 × peak power",
  "| 1000 × `anomalies`",
  "640 × 512 px",
  "ΔT × 1000 ÷",
  "8 + 0.7 × 2 = 9.4",
];

it("stated ratios are the medians of the benchmarks", () => {
  expect(stated.length).toBeGreaterThan(40);
  const medianOf = (name: string) => results[name.slice(0, name.indexOf(":"))]?.ratios[name]?.median ?? Number.NaN;
  for (const { name, number } of stated) expect(number, name).toBe(rounded(medianOf(name)));
});

it("results come from five runs with all data", () => {
  for (const { share, ratios } of Object.values(results)) {
    expect(share).toBe(1);
    for (const { runs } of Object.values(ratios)) expect(runs).toHaveLength(5);
  }
});

it("documents state no other ratios of speed", () => {
  for (const file of files) {
    const ranges = stated.filter((each) => each.file === file).map(({ range }) => range);
    // The size of a table in a result is not a ratio.
    const text = readFileSync(file, "utf8").replace(/^```text\n.*?^```/gms, (result) => " ".repeat(result.length));
    const others = [...text.matchAll(claim)]
      .filter(({ index }) => !ranges.some(({ start, end }) => index >= start && index < end))
      .filter(({ index }) => !formulas.some((formula) => text.slice(index - 4, index + 20).includes(formula)))
      .map(({ index }) => text.slice(Math.max(0, index - 40), index + 40));
    expect(others, file).toEqual([]);
  }
});

it("the comparison has the table of kernels", () => {
  const page = readFileSync("docs/explanation/comparison.md", "utf8");
  for (const { table } of Object.values(results)) if (table) expect(page).toContain(`\n${table}\n\n`);
});
