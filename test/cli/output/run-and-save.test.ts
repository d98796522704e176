import { describe, expect, test } from "vitest";
import { compareOutputs } from "../../../src/cli/output/run-and-save.js";
import type { Notebook, Output } from "../../../src/notebook/file/notebook.js";
import { markdown, notebookOf, printed, shownBy } from "../../notebook/cells.js";

const result = (text: string, execution_count: number, html?: string): Output => ({
  output_type: "execute_result",
  data: { "text/plain": text, ...(html === undefined ? {} : { "text/html": html }) },
  metadata: {},
  execution_count,
});
const withOutputs = (...outputs: Output[]): Notebook => notebookOf(markdown("# T"), shownBy("1", ...outputs));

describe("compareOutputs", () => {
  test.each<[string, Output[], Output[]]>([
    ["execution counts", [result("1", 1)], [result("1", 7)]],
    ["the parts of printed text", [printed("a\n"), printed("b\n")], [printed("a\nb\n")]],
    ["HTML", [result("1", 1, "<b>")], [result("1", 1, "<i>")]],
  ])("ignores %s", (_, stored, now) => {
    expect(compareOutputs(withOutputs(...stored), withOutputs(...now))).toEqual([]);
  });

  test.each<[string, Output[], Output[]]>([
    ["another value", [result("1", 1)], [result("2", 1)]],
    ["a missing format", [result("1", 1, "<b>")], [result("1", 1)]],
    ["new outputs", [], [printed("a")]],
    ["a missing output", [printed("a")], []],
  ])("reports %s", (_, stored, now) => {
    expect(compareOutputs(withOutputs(...stored), withOutputs(...now))).toMatchObject([{ cellIndex: 1 }]);
  });
});
