import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environment } from "../../src/cli/program.js";

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

describe("docs/cli.md", () => {
  const reference = readFileSync("docs/cli.md", "utf8");

  it("is generated from the commands", () => {
    execFileSync(process.execPath, ["scripts/make-reference.mjs", "cli", "--check"]);
  });

  it("has every option that src/cli defines", () => {
    const text = sources
      .filter((name) => name.startsWith("cli"))
      .map((name) => readFileSync(join("src", name), "utf8"))
      .join("\n");
    const options = [...text.matchAll(/(?<!setFlagsFromString\()"(?:-\w, )?(--[a-z-]+)/g)].flatMap(
      ([, option = ""]) => option,
    );
    expect(options.length).toBeGreaterThan(20);
    for (const option of options) expect(reference).toContain(option);
  });

  it("has every environment variable that the code reads", () => {
    const read = sources.flatMap((name) =>
      [...readFileSync(join("src", name), "utf8").matchAll(/env\["(\w+)"\]/g)].flatMap(([, variable = ""]) => variable),
    );
    expect(Object.keys(environment).sort()).toEqual([...new Set(read)].sort());
    for (const variable of read) expect(reference).toContain(variable);
  });
});
