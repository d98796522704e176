import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { loadPackage } from "../../../src/core/load-package.js";
import { fromRecords, toXLSX } from "../../../src/index.js";
import { Plot, plot } from "../../../src/plot/index.js";
import { toTable } from "../../../src/tables/column/table.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";

const folder = temporaryFolder();

interface ReadCell {
  readonly type: string;
  readonly text: string;
  readonly format: string | undefined;
}

/** The cells of a sheet by address, and the parts of the workbook. */
async function read(path: string, number = 1) {
  const files = unzipSync(await readFile(path));
  const part = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const xml = (name: string) => parseHTML(part(name)).document;
  const shared = [...xml("xl/sharedStrings.xml").querySelectorAll("si")].map((item) =>
    unescaped(item.textContent ?? ""),
  );
  const styles = xml("xl/styles.xml");
  const formats = new Map(
    [...styles.querySelectorAll("numFmt")].map((one) => [one.getAttribute("numFmtId"), one.getAttribute("formatCode")]),
  );
  const used = [...styles.querySelectorAll("cellXfs xf")].map((one) => formats.get(one.getAttribute("numFmtId")));
  const sheet = part(`xl/worksheets/sheet${number}.xml`);
  const cells = [...xml(`xl/worksheets/sheet${number}.xml`).querySelectorAll("c")].map((cell) => {
    const type = cell.getAttribute("t") ?? "n";
    const text = cell.querySelector("v")?.textContent ?? "";
    const style = cell.getAttribute("s");
    const format = style === null ? undefined : (used[Number(style)] ?? undefined);
    return [
      cell.getAttribute("r") ?? "",
      { type, text: type === "s" ? (shared[Number(text)] ?? "") : text, format },
    ] as const;
  });
  const names = [...xml("xl/workbook.xml").querySelectorAll("sheet")].map((one) => one.getAttribute("name"));
  return { cells: new Map<string, ReadCell>(cells), sheet, names, files };
}

/** Decodes characters that XML lacks, like spreadsheets. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Days from 1899-12-30. */
const serial = (text: string) => Date.parse(text) / 86_400_000 + 25_569;

describe("toXLSX", () => {
  it("has typed cells, a frozen header and widths", async () => {
    const numbers = { Cost: "FLOAT", Count: "INTEGER" };
    const types = { ...numbers, Day: "DATE", Safe: "BOOLEAN", Seen: "DATETIME", Links: "RELATIONSHIP" };
    const values = [
      [1.5, 3, "2024-06-30", true, "2024-06-30T12:00:00.5Z", [7, 8]],
      ["n/a", null, "1850-01-01", false, "1850-01-01T00:00:00Z", 9],
    ];
    const keys = Object.keys(types).map((_, n) => uuid(n, "aaaaaaaa"));
    const layer = await fromRecords({
      layerFeatures: values.map((row, n) =>
        feature(n + 1, { properties: Object.fromEntries(keys.map((key, at) => [key, row[at]])) }),
      ),
      propertyDefinitions: Object.entries(types).map(([name, type], n) => definition(keys[n] ?? "", name, { type })),
    }).layer({ site_id: 12 });
    const path = join(folder, "layer.xlsx");
    await layer.toXLSX({ path, asLogged: true });
    const { cells, sheet } = await read(path);
    const row = (n: number) =>
      [..."ABCDEFGHI"].map((letter) => cells.get(`${letter}${n}`)).map((cell) => cell && `${cell.type} ${cell.text}`);
    expect(row(1).join()).toBe("s id,s visible_id,s Cost,s Cost (as logged),s Count,s Day,s Links,s Safe,s Seen (UTC)");
    const [day, instant] = [serial("2024-06-30"), serial("2024-06-30T12:00:00.5Z")];
    expect(row(2)).toEqual(["n 1", "s F-1", "n 1.5", "n 1.5", "n 3", `n ${day}`, "s [7,8]", "b 1", `n ${instant}`]);
    const old = ["s 1850-01-01", "s [9]", "b 0", "s 1850-01-01T00:00:00.000Z"];
    expect(row(3)).toEqual(["n 2", "s F-2", undefined, "s n/a", undefined, ...old]);
    expect(cells.get("F2")?.format).toBe("yyyy-mm-dd");
    expect(cells.get("I2")?.format).toBe("yyyy-mm-dd hh:mm:ss");
    const days = [new Date("2024-06-30T00:00:00Z"), null];
    await toXLSX(
      toTable([
        ["Planned", days],
        ["site_id", [12_345, 1]],
        ["Cost", [12_345, 1]],
      ]),
      { path },
    );
    const typed = (await read(path)).cells;
    expect(["A1", "A2", "B2", "C2"].map((name) => typed.get(name)?.format)).toEqual([
      undefined,
      "yyyy-mm-dd",
      undefined,
      "#,##0",
    ]);
    expect(typed.get("A1")?.text).toBe("Planned");
    expect(sheet).toContain('ySplit="1"');
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toMatch(/<col min="1" max="1" width="8" customWidth="1"\/>/);
  });

  it("writes strings as text, never as formulas, with all characters", async () => {
    const formulas = ["=1+1", "+1", "-1", "@SUM(1)", '=HYPERLINK("x")'];
    const characters = ["_x0041_", "a\u0007b\r\nc", " é😀 ", "half \ud800", "\uffff"];
    const texts = [...formulas, ...characters, "constructor", "__proto__"];
    const path = join(folder, "texts.xlsx");
    await toXLSX(toTable([["=name", texts]]), { path });
    const { cells, sheet } = await read(path);
    expect(sheet).not.toContain("<f>");
    expect([...cells.values()].map(({ type, text }) => [type, text])).toEqual(
      ["=name", ...texts].map((text) => ["s", text]),
    );
  });

  it("refuses data that exceeds a sheet and keeps the existing file", async () => {
    const path = join(folder, "long.xlsx");
    await writeFile(path, "before");
    const longest = "x".repeat(32_767);
    await expect(toXLSX(toTable([["Note", ["", `${longest}x`]]]), { path })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'toXLSX(): row 2 of "Note" has a string of 32768 characters. The limit of a cell is 32767.',
    });
    const rows = { length: 1_048_576, at: () => 1, *[Symbol.iterator]() {} };
    await expect(toXLSX(toTable([["n", rows]]), { path })).rejects.toThrow(
      "1048576 rows. The limit of a sheet is 1048575",
    );
    expect(await readFile(path, "utf8")).toBe("before");
    await toXLSX(toTable([["Note", [longest]]]), { path });
    expect((await read(path)).cells.get("A2")?.text).toBe(longest);
  });

  it("throws an error with the package to install", async () => {
    const missing = () =>
      Promise.reject(
        Object.assign(new Error("Cannot find package 'write-excel-file'"), { code: "ERR_MODULE_NOT_FOUND" }),
      );
    await expect(loadPackage("toXLSX()", "write-excel-file", "4", missing)).rejects.toMatchObject({
      code: "ERR_DEPENDENCY",
      hint: "Run `npm install write-excel-file@4`.",
    });
    await expect(toXLSX(toTable([]), {} as never)).rejects.toThrow("toXLSX(): invalid path undefined.");
  });
});

describe("numbers in a workbook", () => {
  const key = uuid(1, "aaaaaaaa");

  it("have formats by type and unit, shares as percent, and columns as wide as their content", async () => {
    const layer = await fromRecords({
      datasets: [dataset(1)],
      layerFeatures: [feature(1, { properties: { [key]: 1234.5 } }), feature(2, { properties: { [key]: 7 } })],
      propertyDefinitions: [definition(key, "Length", { type: "FLOAT", config: { unit: 'm "net"' } })],
    }).layer({ site_id: 12 });
    const shares = layer.table.reify().derive({
      share: (row) => Number(row["Length"]) / 14_567,
      done_share: () => 0.5,
      mean: () => 0.0847457627118644,
      year: () => 2026,
    });
    const path = join(folder, "numbers.xlsx");
    await toXLSX(shares.select("Length", "share", "done_share", "mean", "year"), { path });
    const { cells, sheet } = await read(path);
    const formats = [..."ABCDE"].map((letter) => cells.get(`${letter}2`)?.format);
    expect(formats).toEqual(["#,##0.0", "0.0%", "0.0%", "#,##0.000000", undefined]);
    expect(cells.get("A1")?.text).toBe('Length (m "net")');
    expect(cells.get("B2")?.text).toBe(String(1234.5 / 14_567));
    const widths = [...sheet.matchAll(/width="([\d.]+)"/g)].map(([, width]) => Number(width));
    for (const width of widths) expect(width).toBeLessThan(20);
  });

  it("have the formats of the option, also for dates", async () => {
    const path = join(folder, "formats.xlsx");
    const table = toTable([
      ["share", [0.25]],
      ["n", [5]],
      ["at", [new Date("2024-06-30T12:00:00Z")]],
    ]);
    await toXLSX(table, { path, formats: { share: "0.00 %", n: "0000", at: "dd.mm.yyyy" } });
    const { cells } = await read(path);
    expect(["A2", "B2", "C2"].map((cell) => cells.get(cell)?.format)).toEqual(["0.00 %", "0000", "dd.mm.yyyy"]);
    await expect(toXLSX(table, { path, formats: { shre: "0 %" } })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'toXLSX(): unknown column "shre" in `formats`.',
      hint: expect.stringContaining('Did you mean "share"?'),
    });
    for (const formats of [{ n: 0 }, { n: "" }, ["0"], "0"]) {
      await expect(toXLSX(table, { path, formats: formats as never })).rejects.toThrow("formats must be an object");
    }
  });
});

describe("a workbook", () => {
  it("has filters in its header for all columns and rows", async () => {
    const path = join(folder, "filters.xlsx");
    await toXLSX(toTable(Array.from({ length: 28 }, (_, at) => [`c${at}`, [1, 2, 3]] as const)), { path });
    const { sheet, files } = await read(path);
    expect(sheet).toContain('</sheetData><autoFilter ref="A1:AB4"/>');
    expect(strFromU8(files["xl/workbook.xml"] ?? new Uint8Array())).toContain("!$A$1:$AB$4</definedName>");
    await toXLSX(toTable([]), { path });
    expect((await read(path)).sheet).not.toContain("autoFilter");
  });

  it("prints pages as wide as a table, with its header on each", async () => {
    const path = join(folder, "pages.xlsx");
    const sheets = {
      "Bob's": toTable([["n", [1]]]),
      Wide: toTable([
        ["text", ["x".repeat(99)]],
        ["more", ["x".repeat(60)]],
      ]),
    };
    await toXLSX(sheets, { path });
    const [tall, wide] = [await read(path), await read(path, 2)];
    expect(tall.sheet).toContain('<pageSetUpPr fitToPage="1"/>');
    expect(tall.sheet).toMatch(/<pageSetup paperSize="9" fitToHeight="0" orientation="portrait"\/>/);
    expect(wide.sheet).toMatch(/orientation="landscape"/);
    expect(strFromU8(tall.files["xl/workbook.xml"] ?? new Uint8Array())).toContain(
      ">&#39;Bob&#39;&#39;s&#39;!$1:$1</definedName>",
    );
  });

  it("has several sheets: tables, layers, and figures as pictures", async () => {
    const layer = await fromRecords({ datasets: [], layerFeatures: [feature(1)] }).layer({ site_id: 12 });
    const table = toTable([["n", [1, 2]]]);
    const figure = plot({ marks: [Plot.dot([[1, 2]])] });
    const path = join(folder, "sheets.xlsx");
    await toXLSX({ Late: table, "All/trenches": layer, Chart: figure }, { path, formats: { n: "0.0" } });
    const { names, cells, files } = await read(path);
    expect(names).toEqual(["Late", "All_trenches", "Chart"]);
    expect(cells.get("A2")).toEqual({ type: "n", text: "1", format: "0.0" });
    expect((await read(path, 2)).cells.get("B2")?.text).toBe("F-1");
    const [picture] = Object.keys(files).filter((name) => name.endsWith(".png"));
    expect(files[picture ?? ""]).toEqual(new Uint8Array(await figure.toPNG()));
    expect((await read(path, 3)).sheet).not.toContain("autoFilter");
  });

  it("refuses values that are not sheets, and duplicate names", async () => {
    const path = join(folder, "refused.xlsx");
    const table = toTable([["n", [1]]]);
    await expect(toXLSX({}, { path })).rejects.toThrow("the object of sheets is empty");
    await expect(toXLSX({ a: table }, { path, name: "b" })).rejects.toThrow(
      '`name` is "b", but the sheets already have names',
    );
    await expect(toXLSX({ Late: table, late: table }, { path })).rejects.toThrow('two sheets have the name "late"');
    await expect(toXLSX({ a: 5 as never }, { path })).rejects.toThrow("toXLSX(): not a table: 5.");
    await expect(toXLSX({ a: Promise.resolve(table) as never }, { path })).rejects.toThrow("A promise was given");
  });
});

describe("the name of the sheet", () => {
  it.each<[string | undefined, readonly string[], string]>([
    [undefined, ["TRENCHES", "TRENCHES"], "TRENCHES"],
    [undefined, ["TRENCHES", "FENCES"], "of-july"],
    ["a/b [1]: ?*\\", ["TRENCHES"], "a_b _1__ ___"],
    ["'quoted'", ["TRENCHES"], "quoted"],
    ["History", ["TRENCHES"], "Table History"],
    ["x".repeat(40), ["TRENCHES"], "x".repeat(31)],
    [`${"x".repeat(30)}😀`, ["TRENCHES"], "x".repeat(30)],
  ])("%j of %j is %j", async (name, values, expected) => {
    const path = join(folder, "of-july.xlsx");
    await toXLSX(toTable([["semantic_type", values]]), { path, name });
    expect((await read(path)).names).toEqual([expected]);
  });
});
