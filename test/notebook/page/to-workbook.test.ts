import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { show } from "../../../src/index.js";
import type { Notebook } from "../../../src/notebook/file/notebook.js";
import { writeWorkbook } from "../../../src/notebook/page/to-workbook.js";
import { kpis } from "../../../src/plot/index.js";
import { toTable } from "../../../src/tables/column/table.js";
import { displaySymbol, plainBundle } from "../../../src/tables/display/mime-bundle.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { displayed, markdown, notebookOf, shownBy } from "../cells.js";

const folder = temporaryFolder();

const figures = kpis(
  [
    { label: "Open", value: 12_345, before: 12_400, better: "lower" },
    { label: "Share", value: 0.25, unit: "%", digits: 2, before: null },
    { label: "Forecast", value: "29 Nov 2026", note: "P50" },
  ],
  { since: "2 Jun 2026" },
);

const list = toTable([
  ["Ticket", ["T-1", "T-2"]],
  ["Due", [new Date("2026-06-30T00:00:00Z"), null]],
  ["Age", [3, Number.NaN]],
]);

async function cell(value: { [displaySymbol](): object }) {
  return shownBy("…", displayed(plainBundle(await value[displaySymbol]())));
}

/** Rows of a sheet: text, or a number with its format. */
async function rowsOf(notebook: Notebook, sheet: number) {
  const path = join(folder, "report.xlsx");
  await writeWorkbook(notebook, { path, title: "Punch list & more", author: "Ann" });
  const files = unzipSync(await readFile(path));
  const part = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const all = (xml: string, pattern: RegExp) => [...xml.matchAll(pattern)].map((match) => match.slice(1));
  const shared = all(part("xl/sharedStrings.xml"), /<si><t[^>]*>(.*?)<\/t><\/si>/gs).map(([text]) => text);
  const formats = Object.fromEntries(all(part("xl/styles.xml"), /numFmtId="(\d+)" formatCode="([^"]*)"/g));
  const [xfs = ""] = /<cellXfs.*<\/cellXfs>/.exec(part("xl/styles.xml")) ?? [];
  const styles = all(xfs, /<xf ([^>]*)>/g).map(([attributes = ""]) => /numFmtId="(\d+)"/.exec(attributes)?.[1] ?? "");
  const rows = all(part(`xl/worksheets/sheet${sheet}.xml`), /<row[^>]*>(.*?)<\/row>/gs).map(([row = ""]) =>
    all(row, /<c ([^>]*)><v>(.*?)<\/v>/g).map(([attributes = "", value = ""]) => {
      if (attributes.includes('t="s"')) return shared[Number(value)];
      return [Number(value), formats[styles[Number(/ s="(\d+)"/.exec(attributes)?.[1])] ?? ""]];
    }),
  );
  return { rows, core: part("docProps/core.xml"), names: all(part("xl/workbook.xml"), /<sheet [^>]*name="([^"]*)"/g) };
}

describe("the workbook of a report", async () => {
  const notebook = notebookOf(
    markdown("# Punch list\n\n30 June 2026, with changes since 2 June 2026."),
    await cell(figures),
    await cell(show(list, { sheet: "List" })),
    await cell(show(list)),
  );

  it("has the key figures as numbers, with the title, the period and the author", async () => {
    const { rows, core, names } = await rowsOf(notebook, 1);
    expect(names.flat()).toEqual(["Summary", "List"]);
    const labels = rows.flatMap(([label]) => label ?? []);
    const top = ["Punch list &amp; more", "30 June 2026, with changes since 2 June 2026.", "Prepared by Ann"];
    expect(labels).toEqual([...top, "Key figure", "Open", "Share", "Forecast"]);
    const byLabel = new Map(rows.map((row) => [row[0], row.slice(1)]));
    expect(byLabel.get("Key figure")).toEqual(["Value", "Unit", "Before (2 Jun 2026)", "Change", "Note"]);
    expect(byLabel.get("Open")).toEqual([
      [12_345, "#,##0"],
      [12_400, "#,##0"],
      [-55, "+#,##0;-#,##0;0"],
    ]);
    expect(byLabel.get("Share")).toEqual([[0.25, "#,##0.00"], "%"]);
    expect(byLabel.get("Forecast")).toEqual(["29 Nov 2026", "P50"]);
    expect(core).toContain("<dc:title>Punch list &amp; more</dc:title>");
    expect(core).toContain("<dc:creator>Ann</dc:creator>");
  });

  it("has the tables of outputs with a sheet, with their types", async () => {
    const { rows } = await rowsOf(notebook, 2);
    const serial = Date.UTC(2026, 5, 30) / 86_400_000 + 25_569;
    expect(rows[0]).toEqual(["Ticket", "Due", "Age"]);
    expect(rows[1]?.slice(0, 2)).toEqual(["T-1", [serial, "d mmm yyyy"]]);
    expect(rows[2]).toEqual(["T-2"]);
  });

  it("needs key figures or a sheet", async () => {
    const empty = notebookOf(markdown("# Report"), await cell(show(list)));
    await expect(writeWorkbook(empty, { path: join(folder, "none.xlsx"), title: "Report" })).rejects.toMatchObject({
      message: "siteframe report --xlsx: the notebook has neither key figures nor sheets.",
      hint: 'Display the list as a sheet: show(list, { sheet: "List" }).',
    });
  });

  it("refuses a sheet of a value that is not a table", () => {
    expect(() => show({ columns: [] } as object, { sheet: "List" })).toThrow("show(): not a table");
  });
});
