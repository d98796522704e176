import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { loadPackage } from "../../../src/core/load-package.js";
import { fromRecords, toXLSX } from "../../../src/index.js";
import { toTable } from "../../../src/tables/column/table.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { definition, feature, uuid } from "../../support/records.js";

const folder = temporaryFolder();

interface ReadCell {
  readonly type: string;
  readonly text: string;
  readonly format: string | undefined;
}

/** What a workbook's only sheet holds, by address, and the parts that it is made of. */
async function read(path: string) {
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
  const sheet = part("xl/worksheets/sheet1.xml");
  const cells = [...xml("xl/worksheets/sheet1.xml").querySelectorAll("c")].map((cell) => {
    const type = cell.getAttribute("t") ?? "n";
    const text = cell.querySelector("v")?.textContent ?? "";
    const style = cell.getAttribute("s");
    const format = style === null ? undefined : (used[Number(style)] ?? undefined);
    return [
      cell.getAttribute("r") ?? "",
      { type, text: type === "s" ? (shared[Number(text)] ?? "") : text, format },
    ] as const;
  });
  return { cells: new Map<string, ReadCell>(cells), sheet };
}

/** As spreadsheets read the letters that XML lacks. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Days from 1899-12-30. */
const serial = (text: string) => Date.parse(text) / 86_400_000 + 25_569;

describe("toXLSX", () => {
  it("has typed cells, a frozen header and widths", async () => {
    const types = {
      Cost: "FLOAT",
      Count: "INTEGER",
      Day: "DATE",
      Safe: "BOOLEAN",
      Seen: "DATETIME",
      Links: "RELATIONSHIP",
    };
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
      [..."ABCDEFGHI"].map((letter) => cells.get(`${letter}${n}`)).map((cell) => cell && [cell.type, cell.text]);
    expect(row(1).map((cell) => cell?.[1])).toEqual([
      "id",
      "visible_id",
      "Cost",
      "Cost (as logged)",
      "Count",
      "Day",
      "Links",
      "Safe",
      "Seen",
    ]);
    const number = (text: string) => ["n", String(serial(text))];
    expect(row(2)).toEqual([
      ...[
        ["n", "1"],
        ["s", "F-1"],
        ["n", "1.5"],
        ["n", "1.5"],
        ["n", "3"],
      ],
      ...[number("2024-06-30"), ["s", "[7,8]"], ["b", "1"], number("2024-06-30T12:00:00.5Z")],
    ]);
    expect(row(3)).toEqual([
      ...[["n", "2"], ["s", "F-2"], undefined, ["s", "n/a"], undefined],
      ...[
        ["s", "1850-01-01"],
        ["s", "[9]"],
        ["b", "0"],
        ["s", "1850-01-01T00:00:00.000Z"],
      ],
    ]);
    expect(cells.get("F2")?.format).toBe("yyyy-mm-dd");
    expect(cells.get("I2")?.format).toBe("yyyy-mm-dd hh:mm:ss");
    expect(sheet).toContain('ySplit="1"');
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toMatch(/<col min="1" max="1" width="8" customWidth="1"\/>/);
  });

  it("has no formula, whatever texts begin with, and keeps every letter", async () => {
    const texts = [
      "=1+1",
      "+1",
      "-1",
      "@SUM(1)",
      '=HYPERLINK("x")',
      "_x0041_",
      "a\u0007b\r\nc",
      " é😀 ",
      "half \ud800",
      "\uffff",
    ];
    const path = join(folder, "texts.xlsx");
    await toXLSX(toTable([["=name", texts]]), { path });
    const { cells, sheet } = await read(path);
    expect(sheet).not.toContain("<f>");
    expect([...cells.values()].map(({ type, text }) => [type, text])).toEqual(
      ["=name", ...texts].map((text) => ["s", text]),
    );
  });

  it("cuts nothing: what a sheet does not hold is an error, and what stood there stays", async () => {
    const path = join(folder, "long.xlsx");
    await writeFile(path, "before");
    const longest = "x".repeat(32_767);
    await expect(toXLSX(toTable([["Note", ["", `${longest}x`]]]), { path })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'toXLSX(): row 2 of "Note" has a text of 32768 letters, and a cell holds 32767.',
    });
    const rows = { length: 1_048_576, at: () => 1, *[Symbol.iterator]() {} };
    await expect(toXLSX(toTable([["n", rows]]), { path })).rejects.toThrow("1048576 rows, and a sheet holds 1048575");
    expect(await readFile(path, "utf8")).toBe("before");
    await toXLSX(toTable([["Note", [longest]]]), { path });
    expect((await read(path)).cells.get("A2")?.text).toBe(longest);
  });

  it("says what to install", async () => {
    const missing = () =>
      Promise.reject(
        Object.assign(new Error("Cannot find package 'write-excel-file'"), { code: "ERR_MODULE_NOT_FOUND" }),
      );
    await expect(loadPackage("toXLSX()", "write-excel-file", "4", missing)).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      hint: "Run `npm install write-excel-file@4` beside siteframe.",
    });
    await expect(toXLSX(toTable([]), {} as never)).rejects.toThrow("no path of a file");
  });
});

describe("the name of the sheet", () => {
  const nameOf = async (path: string) => {
    const book = strFromU8(unzipSync(await readFile(path))["xl/workbook.xml"] ?? new Uint8Array());
    return /<sheet [^>]*name="([^"]*)"/.exec(book)?.[1];
  };
  const types = (...values: readonly string[]) => toTable([["semantic_type", values]]);

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
    await toXLSX(types(...values), { path, name });
    expect(await nameOf(path)).toBe(expected);
  });
});
