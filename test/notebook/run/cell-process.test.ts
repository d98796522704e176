import { join } from "node:path";
import { expect, it } from "vitest";
import { runNotebook } from "../../../src/notebook/run/run-notebook.js";
import { code, notebookOf } from "../cells.js";

const notebook = notebookOf(code("1 + 1"));

it("reports the reason if the process of the cells ends before it is ready", async () => {
  const env = { NODE_OPTIONS: "--require ./missing.cjs" };
  await expect(runNotebook(notebook, { cwd: import.meta.dirname, env })).rejects.toThrow(
    /^The process for notebook cells did not start: Error: Cannot find module '.\/missing.cjs' \(exit code 1\)$/,
  );
});

it("reports the reason if the process of the cells cannot be started", async () => {
  const cwd = join(import.meta.dirname, "missing");
  await expect(runNotebook(notebook, { cwd })).rejects.toThrow(
    /^The process for notebook cells did not start: spawn .* ENOENT$/,
  );
});
