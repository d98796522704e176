import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tiers } from "../../vitest.config.js";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => `test/${name.replaceAll("\\", "/")}`)
  .filter((name) => name.endsWith(".test.ts"));
const inFull = Object.values(tiers.full).flatMap((part) => part.files);
const listed = [...tiers.isolated, ...tiers.processes, ...tiers.browser, ...inFull];
const plain = files.filter((name) => !listed.includes(name));
const matching = (names: readonly string[], pattern: RegExp) =>
  names.filter((name) => pattern.test(readFileSync(name, "utf8")));

describe("test/tiers.json", () => {
  it("lists test files that exist, each in one tier", () => {
    expect(listed.filter((name) => !files.includes(name))).toEqual([]);
    expect(listed.filter((name, index) => listed.indexOf(name) !== index)).toEqual([]);
  });

  it("has a step of .ci/full for each part", () => {
    const steps = /^steps=\((.*)\)$/m.exec(readFileSync(".ci/full", "utf8"))?.[1]?.split(" ");
    expect(steps).toEqual(expect.arrayContaining(Object.keys(tiers.full)));
  });

  it("runs no browser tests in the plain suite", () => {
    expect(matching(plain, /^import .* from "playwright-core"|findBrowser\(|findFirefox\(/m)).toEqual([]);
    expect(matching(inFull, /findBrowser\(/).length).toBeGreaterThan(3);
  });

  it("isolates files that mock modules or start a kernel in their process", () => {
    expect(matching(plain, /\bvi\.(mock|doMock)\(|new CellThread\(|new SignalSentinel\(/)).toEqual([]);
  });

  it("runs the Python tests of other tiers in .ci/full python", () => {
    const { again = [] } = tiers.full["python"] ?? {};
    const jupyter = /findPython\("(jupyter|papermill|sqlglot|http\.server)/;
    const others = [...matching([...plain, ...tiers.processes], /findPython\(/)];
    expect(others.filter((name) => matching([name], jupyter).length === 0 && !again.includes(name))).toEqual([]);
  });
});
