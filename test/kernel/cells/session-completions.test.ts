import { table } from "arquero";
import { describe, expect, test } from "vitest";
import { sessionCompletions } from "../../../src/kernel/cells/session-completions.js";
import type { CompletionQuery } from "../../../src/kernel/threads/thread-messages.js";

const ran = () => {
  throw new Error("ran");
};
const trap = new Proxy({}, { get: ran, getOwnPropertyDescriptor: ran, ownKeys: ran, getPrototypeOf: ran, has: ran });
const sites = table({ site: ["Llano Verde", "Sandbank", "Llano Verde"], tickets: [12, 7, null] });
const names = {
  ...{ sites, trap, held: { sites, trap }, nothing: null, text: "sites" },
  rows: [{ site: "Sandbank", "Due date": "2024-01-01" }],
  frame: {
    $columns: ["a", "b"],
    $data: [
      ["x", 1],
      ["y", 2],
    ],
  },
  history: { columns: ["Status"], readAt: new Date(0), timeZone: "UTC" },
  odd: {
    _names: ["a"],
    get _data() {
      return ran();
    },
  },
  listed: Object.assign([], { length: 5 }),
};
const ask = (path: string, more: Partial<CompletionQuery> = {}) =>
  sessionCompletions(names, { tables: path.split(" ").map((each) => each.split(".")), ...more });

describe("names of columns", () => {
  test.each([
    ["sites", ["site", "tickets"]],
    ["held.sites", ["site", "tickets"]],
    ["rows", ["site", "Due date"]],
    ["frame", ["a", "b"]],
    ["history", ["Status"]],
    ["missing text nothing sites", ["site", "tickets"]],
    ["rows sites", ["site", "Due date", "tickets"]],
  ])("of %s", (path, expected) => {
    expect(ask(path)).toEqual(expected);
  });

  test("are not read from getters, proxies and other objects", () => {
    for (const path of ["trap", "held.trap", "odd", "sites.columnNames", "toString", "listed", "sites.__proto__"]) {
      expect(ask(path), path).toEqual([]);
    }
  });
});

test("values are those of a column with few different strings", () => {
  expect(ask("sites", { column: "site" })).toEqual(["Llano Verde", "Sandbank"]);
  expect(ask("sites", { key: "site" })).toEqual(["Llano Verde", "Sandbank"]);
  expect(ask("sites", { key: "x" })).toEqual(["site", "tickets"]);
  expect(ask("sites", { column: "tickets" })).toEqual([]);
  expect(ask("frame", { column: "a" })).toEqual(["x", "y"]);
  expect(ask("rows", { column: "site" })).toEqual(["Sandbank"]);
  const ids = table({ id: Array.from({ length: 500 }, (_, row) => `id ${row}`) });
  expect(sessionCompletions({ ids }, { tables: [["ids"]], column: "id" })).toEqual([]);
});
