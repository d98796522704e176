import { expect, test } from "vitest";
import type { Output } from "../../../src/notebook/file/notebook.js";
import { OutputCollector } from "../../../src/notebook/run/output-collector.js";

const text = (value: string) => ({ "text/plain": value });
const shown = (outputs: readonly Output[]) =>
  outputs.map((output) => ("data" in output ? output.data["text/plain"] : JSON.stringify(output)));

test("an update replaces the displays of its id, in whatever cell", () => {
  const collector = new OutputCollector();
  const [first, second] = [collector.startCell(), collector.startCell()];
  first.display(text("a"), { id: "x", update: false });
  second.display(text("b"), { id: "x", update: false });
  second.display(text("c"), { id: "x", update: true });
  expect([shown(first.outputs), shown(second.outputs)]).toEqual([["c"], ["c"]]);
});

test("an update leaves alone what came after the display was cleared", () => {
  const collector = new OutputCollector();
  const [first, second] = [collector.startCell(), collector.startCell()];
  first.display(text("a"), { id: "x", update: false });
  second.display(text("other"));
  second.display(text("b"), { id: "x", update: false });
  second.clear();
  second.display(text("own"));
  first.display(text("c"), { id: "x", update: true });
  expect([shown(first.outputs), shown(second.outputs)]).toEqual([["c"], ["own"]]);
  second.display(text("d"), { id: "x", update: false });
  first.display(text("e"), { id: "x", update: true });
  expect([shown(first.outputs), shown(second.outputs)]).toEqual([["e"], ["own", "e"]]);
});
