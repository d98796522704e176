import { table } from "arquero";
import { expect, test } from "vitest";
import "../../../src/arquero.js";
import { columnsOf } from "../../../src/browser/table/table-columns.js";
import { columnFormat, setColumnFormat } from "../../../src/tables/column/column-format.js";
import { renderTable } from "../../../src/tables/display/html/render-table.js";
import { arqueroView } from "../../../src/tables/display/html/table-view.js";
import type { TablePayload } from "../../../src/tables/display/live/embedded-column.js";
import { tableBundle } from "../../../src/tables/display/table-bundle.js";
import { exportTable } from "../../../src/tables/export/export-table.js";
import { frameFacts } from "../display/frame-facts.js";

const format = { unit: "MW", decimals: 1, timeZone: "Europe/Madrid" };

function sample() {
  const rows = table({
    id: [1, 2],
    power: [3.25, 4],
    at: [new Date("2026-06-29T22:00Z"), new Date("2026-12-31T23:00Z")],
  });
  setColumnFormat(rows.column("power"), { unit: format.unit, decimals: format.decimals });
  setColumnFormat(rows.column("at"), { timeZone: format.timeZone });
  return rows;
}

test("later fields are added, and empty ones change nothing", () => {
  const column = {};
  setColumnFormat(column, { unit: undefined, decimals: undefined });
  expect(columnFormat(column)).toEqual({});
  setColumnFormat(column, { unit: "MW" });
  setColumnFormat(column, { timeZone: "UTC", unit: undefined });
  expect(columnFormat(column)).toEqual({ unit: "MW", timeZone: "UTC" });
  expect(columnFormat(undefined)).toEqual({});
});

test("verbs, joins and exports keep the format of a column", () => {
  const rows = sample();
  const other = table({ id: [1, 2], name: ["a", "b"] });
  const results = [
    rows.filter((d: { readonly id: number }) => d.id > 1).orderby("id"),
    rows.reify(),
    other.join(rows, "id"),
    rows.concat(rows),
    rows.select("at", "power"),
  ];
  for (const result of results) {
    expect(columnFormat(result.column("power"))).toEqual({ unit: "MW", decimals: 1 });
    expect(columnFormat(result.column("at"))).toEqual({ timeZone: "Europe/Madrid" });
  }
  const exported = exportTable(rows).columns.map(({ name, format: given }) => [name, given]);
  expect(exported).toEqual([
    ["id", {}],
    ["power", { unit: "MW", decimals: 1 }],
    ["at", { timeZone: "Europe/Madrid" }],
  ]);
});

test("a column that assign() replaces has the format of the new one", () => {
  const days = table({ at: [new Date("2026-06-30"), new Date("2026-12-31")] });
  expect(columnFormat(sample().assign(days).column("at"))).toEqual({});
  expect(columnFormat(days.assign(sample()).column("at"))).toEqual({ timeZone: "Europe/Madrid" });
  expect(columnFormat(sample().assign(days).column("power"))).toEqual({ unit: "MW", decimals: 1 });
});

test("tables show the decimals, the unit and the zone", () => {
  const html = String(renderTable(arqueroView(sample()))["text/html"]);
  for (const part of ["power, MW", "date, Europe/Madrid", ">3.3<", ">4.0<", ">2026-06-30<", ">2027-01-01<"]) {
    expect(html.replaceAll("</td>", "<").replaceAll("\n", "<")).toContain(part);
  }
  const live = String(tableBundle(arqueroView(sample()), { isLive: true })["text/html"]);
  const facts = frameFacts(live) as TablePayload;
  expect(facts.heads.map(({ symbol, numbers: { decimals }, type }) => [symbol, decimals, type])).toEqual([
    [undefined, 0, "number"],
    ["MW", 1, "number"],
    [undefined, 0, "date, Europe/Madrid"],
  ]);
  const columns = columnsOf(facts.heads, facts.cells);
  expect([0, 1].map((row) => columns[2]?.seen(row))).toEqual(["2026-06-30", "2027-01-01"]);
});
