import { describe, expect, test } from "vitest";
import type { Notebook, Output } from "../../../src/notebook/file/notebook.js";
import { compareOutputs } from "../../../src/notebook/run/compare-outputs.js";
import { code, markdown, notebookOf } from "../cells.js";

const stream = (text: string): Output => ({ output_type: "stream", name: "stdout", text });
const result = (text: string, execution_count: number, html?: string): Output => ({
  output_type: "execute_result",
  data: { "text/plain": text, ...(html === undefined ? {} : { "text/html": html }) },
  metadata: {},
  execution_count,
});
const withOutputs = (...outputs: Output[]): Notebook => notebookOf(markdown("# T"), { ...code("1"), outputs });

describe("compareOutputs", () => {
  test.each<[string, Output[], Output[]]>([
    ["counts", [result("1", 1)], [result("1", 7)]],
    ["how printed text was cut", [stream("a\n"), stream("b\n")], [stream("a\nb\n")]],
    ["how HTML is written", [result("1", 1, "<b>")], [result("1", 1, "<i>")]],
  ])("does not mind %s", (_, stored, now) => {
    expect(compareOutputs(withOutputs(...stored), withOutputs(...now))).toEqual([]);
  });

  test.each<[string, Output[], Output[]]>([
    ["another value", [result("1", 1)], [result("2", 1)]],
    ["a format that is gone", [result("1", 1, "<b>")], [result("1", 1)]],
    ["outputs that were not stored", [], [stream("a")]],
    ["an output that is gone", [stream("a")], []],
  ])("reports %s", (_, stored, now) => {
    expect(compareOutputs(withOutputs(...stored), withOutputs(...now))).toMatchObject([{ cellIndex: 1 }]);
  });
});
