import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { long } from "../../vitest.config.js";

it("leaves to test:full what needs Jupyter or a browser, and nothing that is not there", () => {
  const files = readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".test.ts"));
  const needing = files.filter((name) =>
    /^import .* from "playwright-core"|findPython\("jupyter/m.test(readFileSync(name, "utf8")),
  );
  expect(long, "name them in vitest.config.ts").toEqual(expect.arrayContaining(needing));
  expect(files).toEqual(expect.arrayContaining([...long]));
  expect(needing.length).toBeGreaterThan(1);
});
