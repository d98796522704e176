import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { rounded, statedRatios } from "../../bench/stated.mjs";

interface BenchResult {
  readonly ratios: Readonly<Record<string, { readonly median: number; readonly runs: readonly number[] }>>;
  readonly share: number;
  readonly table?: string;
}

const results: Readonly<Record<string, BenchResult>> = JSON.parse(readFileSync("bench/results.json", "utf8"));
const stated = statedRatios(pathToFileURL("./"));
const guides = readdirSync("docs/guide").map((name) => `docs/guide/${name}`);
const files = ["README.md", ...guides.filter((name) => name.endsWith(".md"))];

const count = String.raw`\b(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|hundred|thousand)`;
const claims = [
  `${count} ×`,
  `× ${count}`,
  `${count} times (?:as|the|less|more|faster|slower|larger|smaller)`,
  "(?:twice|half|a third|a quarter|a fifth|a tenth) (?:as (?:fast|long|much)|of the (?:time|memory)|the (?:time|memory|CPU))",
];
const claim = new RegExp(claims.join("|"), "gi");
/** Formulas, which are not about speed. */
const formulas = ["100 × `affected_kw`", "(1000 × peak power", "| 1000 × `anomalies`", "8 + 0.7 × 2 = 9.4"];

it("ratios of the README and the guides are the medians of the benches", () => {
  expect(stated.length).toBeGreaterThan(40);
  const medianOf = (name: string) => results[name.slice(0, name.indexOf(":"))]?.ratios[name]?.median ?? Number.NaN;
  for (const { name, number } of stated) expect(number, name).toBe(rounded(medianOf(name)));
});

it("results are of five runs of all the data", () => {
  for (const { share, ratios } of Object.values(results)) {
    expect(share).toBe(1);
    for (const { runs } of Object.values(ratios)) expect(runs).toHaveLength(5);
  }
});

it("the README and the guides state no other ratios of speed", () => {
  for (const file of files) {
    const ranges = stated.filter((each) => each.file === file).map(({ range }) => range);
    const text = readFileSync(file, "utf8");
    const others = [...text.matchAll(claim)]
      .filter(({ index }) => !ranges.some(({ start, end }) => index >= start && index < end))
      .filter(({ index }) => !formulas.some((formula) => text.slice(index - 4, index + 20).includes(formula)))
      .map(({ index }) => text.slice(Math.max(0, index - 40), index + 40));
    expect(others, file).toEqual([]);
  }
});

it("the guide has the table of what kernels can do", () => {
  const guide = readFileSync("docs/guide/kernel.md", "utf8");
  for (const { table } of Object.values(results)) if (table) expect(guide).toContain(`\n${table}\n\n`);
});
