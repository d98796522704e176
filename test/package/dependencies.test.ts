import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const fields = ["dependencies", "optionalDependencies", "peerDependencies", "devDependencies", "overrides"];
const packages = new Set(
  ["package.json", "site/package.json"].flatMap((path) => {
    const manifest: Readonly<Record<string, object | undefined>> = JSON.parse(readFileSync(path, "utf8"));
    return fields.flatMap((field) => Object.keys(manifest[field] ?? {}));
  }),
);
const record = readFileSync("docs/decisions/0031-dependencies.md", "utf8");
/** The packages of the lists. `name*` is every package whose name begins so. */
const lines = [...record.matchAll(/^- `([^`]+)`: \S/gm)].flatMap(([, name = ""]) => name);
const isOf = (line: string, name: string) => (line.endsWith("*") ? name.startsWith(line.slice(0, -1)) : name === line);

it("each package has one line of reason in the decision on dependencies", () => {
  expect(packages.size).toBeGreaterThan(50);
  const counts = [...packages].map((name) => [name, lines.filter((line) => isOf(line, name)).length]);
  expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
});

it("each line of reason is about a package", () => {
  expect(lines.filter((line) => ![...packages].some((name) => isOf(line, name)))).toEqual([]);
});
