import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { orderNotebooks, runTargets } from "../../../src/cli/input/run-targets.js";

const names = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));

test("the demo shows the quickstart first, and the notebooks in the order of the guide", () => {
  const guide = readFileSync("docs/guide/notebooks.md", "utf8");
  const listed = [...guide.matchAll(/\(\.\.\/\.\.\/notebooks\/([\w-]+\.ipynb)\)/g)].map(([, name]) => name);
  expect(orderNotebooks(names)).toEqual(listed);
  expect(listed[0]).toBe("quickstart.ipynb");
});

test("others come last, by name", () => {
  expect(orderNotebooks(["b.ipynb", "quickstart.ipynb", "a.ipynb"])).toEqual([
    "quickstart.ipynb",
    "a.ipynb",
    "b.ipynb",
  ]);
});

test("{date} in a name is today", () => {
  const now = new Date();
  const [day] = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().split("T");
  expect(runTargets(["weekly.ipynb"], { pdf: "weekly-{date}.pdf", out: "{date}/w.ipynb" })).toEqual([
    { pdf: `weekly-${day}.pdf`, out: `${day}/w.ipynb` },
  ]);
});
