import { canonicalJson } from "../../src/core/json.js";
import type { History } from "../../src/index.js";
import type { QuestionDraw } from "./question-calls.js";

/** Draws an order of some values of a column, sometimes with a duplicate or an unknown value. */
export function drawOrder(history: History, column: string, draw: QuestionDraw): readonly unknown[] | "options" {
  if (draw.pick(["values", "values", "values", "options"]) === "options") return "options";
  const values = history.columns.includes(column) ? [...history.intervals(column).array("value")] : [];
  const distinct = new Map(values.map((value) => [canonicalJson(value), value]));
  const some = [...distinct.values()].filter(() => draw.flag() || draw.flag());
  const spoilt = draw.pick(["none", "none", "none", "none", "twice", "unknown"]);
  const all = draw.flag() ? some : some.reverse();
  if (spoilt === "twice") return [...all, ...all.slice(0, 1)];
  return spoilt === "unknown" ? [...all, "NO SUCH VALUE"] : all;
}
