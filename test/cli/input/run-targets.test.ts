import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { orderNotebooks, runTargets } from "../../../src/cli/input/run-targets.js";

const names = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));

test("the demo shows the quickstart first, and the notebooks in the order of the documentation", () => {
  const page = readFileSync("docs/how-to/run-notebooks.md", "utf8");
  const listed = [...page.matchAll(/\(\.\.\/\.\.\/notebooks\/([\w-]+\.ipynb)\)/g)].map(([, name]) => name);
  expect(orderNotebooks(names)).toEqual(listed);
  expect(listed[0]).toBe("quickstart.ipynb");
});

test("other notebooks come last, by name", () => {
  const [first, ...others] = ["quickstart.ipynb", "a.ipynb", "b.ipynb"];
  expect(orderNotebooks(["b.ipynb", first, "a.ipynb"])).toEqual([first, ...others]);
});

test("{date} in a name is today", () => {
  const now = new Date();
  const [day] = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().split("T");
  expect(runTargets(["weekly.ipynb"], { pdf: "weekly-{date}.pdf", out: "{date}/w.ipynb" })).toEqual([
    { pdf: `weekly-${day}.pdf`, out: `${day}/w.ipynb` },
  ]);
});
