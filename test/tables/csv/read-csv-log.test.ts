import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readLogFile } from "../../../src/tables/sql/log-file.js";

const fields = {
  id: "id",
  key: "key",
  value: "value",
  time: "time",
  sequence: undefined,
  user: "user",
  previous: undefined,
};
const ordered = { ...fields, sequence: "seq", user: undefined };
const T = "2024-06-30T12:00:00Z";

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "siteframe-"));
  path = join(folder, "log.csv");
});
afterAll(() => rm(folder, { recursive: true }));

/** What is read of a file, or the error; of a pattern DuckDB alone reads it. */
async function outcome(file: string, columns: typeof fields | typeof ordered) {
  return readLogFile(file, columns, {}).then(
    ({ values, ids, keys, users, previous, ...rest }) => ({
      ...rest,
      coded: [values, ids, keys, users, previous].map((column) => column && [column.codes, column.values]),
    }),
    (error: Error) => error.message.replace("lo[g]", "log"),
  );
}

/** Expects of a file what DuckDB alone reads of it; returns whether it was read without it. */
async function expectSame(content: string | Buffer, columns: typeof fields | typeof ordered = fields) {
  await writeFile(path, content);
  const wanted = await outcome(join(folder, "lo[g].csv"), columns);
  const run = vi.spyOn(DuckDBConnection.prototype, "run");
  try {
    expect(await outcome(path, columns)).toEqual(wanted);
    return !run.mock.calls.some(([sql]) => sql.startsWith("CREATE TABLE"));
  } finally {
    run.mockRestore();
  }
}

const header = "id,key,value,time,user\n";
const row = (value: string, time = T) => `A-1,status,${value},${time},ann\n`;

describe("a log of CSV", () => {
  it.each<readonly [string, string | Buffer]>([
    ["as usual", header + row("Open") + row("Done")],
    ["without a last newline", (header + row("Open") + row("Done")).slice(0, -1)],
    [
      "with carriage returns",
      (header + row("Open") + row('"a\nb"') + row("c")).replaceAll("n\n", "n\r\n").replace("user\n", "user\r\n"),
    ],
    ["with carriage returns but the last", (header + row("Open") + row("Done")).replaceAll("\n", "\r\n").slice(0, -2)],
    ["with a mark of byte order", `\uFEFF${header}${row("Open")}`],
    ["with quotes", header + row('"a, b"') + row('"a ""b"" c"') + row('""""') + row('"x\ny"') + row('"\r\n"')],
    ["with empty fields", header + row("") + row('""') + row(" ") + row("null") + row("NULL")],
    ["with empty lines", `${header}\n${row("a")}\n\n${row("b")}\n`],
    ["with empty lines and carriage returns", `${header}\n${row("a")}\n\n${row("b")}\n`.replaceAll("\n", "\r\n")],
    ["with semicolons", (header + row("a") + row('"b,c"')).replaceAll(",", ";")],
    ["with tabs", (header + row("a") + row('"b,c"')).replaceAll(",", "\t")],
    ["with bars", (header + row("a") + row('"b,c"')).replaceAll(",", "|")],
    ["with other letters", header + row("Ünïcödé ☃ 😀") + row("é") + row("e\u0301") + row("\uFFFD") + row("\uFEFFx")],
    [
      "with long texts",
      header + row("x".repeat(5000)) + row(`${"x".repeat(5000)}y`) + row("x".repeat(5000)) + row("x".repeat(700_000)),
    ],
    [
      "with texts around the bounds of words",
      header + Array.from({ length: 40 }, (_, n) => row("abcdefghijklmnopqrst".slice(0, n % 20))).join(""),
    ],
    ["with quoted names", header.replace(/\w+/g, '"$&"') + row("a")],
    [
      "with numbers",
      header +
        ["1", "1.0", "-0", "007", "1e5", "1e999", "12345678901234567890", "0x1f", "+1", "true"]
          .map((n) => row(n))
          .join(""),
    ],
    [
      "with all forms of times",
      header +
        ["", ".5", ".123456"]
          .flatMap((f) => ["Z", "+02:00", "-15:00"].map((z) => row("a", `2024-06-30T12:00:00${f}${z}`)))
          .join(""),
    ],
    ["with times without a zone", header + row("a", "2024-06-30T12:00:00") + row("a", "2024-06-30 12:00:00.25")],
    ["with spaces in times", header + row("a", "2024-06-30 12:00:00Z") + row("a", "2024-06-30 12:00:00+05:30")],
    ["with quoted times", header + row("a", `"${T}"`)],
  ])("is read without DuckDB %s", async (_, content) => {
    expect(await expectSame(content)).toBe(true);
  });

  it.each<readonly [string, string | Buffer]>([
    ["of which a quote stands in the middle", header + row('a"b') + row("c")],
    ["of which text stands behind a quote", header + row('"a"b') + row("c")],
    ["of which spaces stand around quotes", header + row(' "a b" ') + row("c")],
    ["of which a quote is not closed", header + row("a") + row('"b')],
    ["of which a record is short", `${header}${row("a")}A-1,status\n`],
    ["of which a record is long", header + row("a") + row("b,c")],
    ["of blank lines", `${header}${row("a")}   \n${row("b")}`],
    ["of old line ends", (header + row("a") + row("b")).replaceAll("\n", "\r")],
    ["of a return in a field", header + row("a\rb") + row("c")],
    ["of a zero byte", header + row("a\0b") + row("c")],
    ["of Latin 1", Buffer.from(header + row("é"), "latin1")],
    ["of UTF-16", Buffer.from(header + row("é"), "utf16le")],
    ["of nothing", ""],
    ["of another header", header.replace("value", "val") + row("a")],
    ["of a header in capitals", header.toUpperCase() + row("a")],
    ["of spaces around names", header.replaceAll(",", " , ") + row("a")],
    ["of no time", header + row("a", "")],
    ["of a time that is none", header + row("a") + row("a", "2024-06-31T12:00:00Z")],
    ["of the end of a day", header + row("a", "2024-06-30T24:00:00Z")],
    ["of days", header + row("a", "2024-06-30")],
    ["of another format of times", header + row("a", "30/06/2024 12:00")],
    ["of times with a zone and without", header + row("a") + row("a", "2024-06-30T12:00:00")],
    ["of times of long ago", header + row("a", "1066-10-14T12:00:00Z")],
    ["of nanoseconds", header + row("a", "2024-06-30T12:00:00.123456789Z")],
    ["of a very long line", header + row("x".repeat(1_100_000))],
    ["of a title", `Changes\n\n${header}${row("a")}`],
  ])("is left to DuckDB if it is one %s", async (_, content) => {
    expect(await expectSame(content)).toBe(false);
  });

  it.each<readonly [string, string]>([
    ["mixed line ends", `${header}${row("a").replace("\n", "\r\n")}${row("b")}`],
    ["no records", header],
    ["comments", `${header}${row("a")}#,,,,\n${row("b")}# comment\n`],
    ["backslashes for escapes", header + row('"a\\"') + row('"b\\n"') + row('"c\\\\d"')],
    ["apostrophes for quotes", header + row("'a,b'") + row("'c'")],
    ["apostrophes in pairs", header + row("'a'") + row("'c'")],
    ["a last column without a name", header.replace("\n", ",\n") + row("a").replace("\n", ",\n")],
    ["names that come twice", header.replace("user", "user,user") + row("a").replace("ann", "ann,bob")],
    ["names that look like values", `${header}id,key,value,time,user\n`],
    ["two headers", header + header + row("a")],
    ["a separator that is another's text", `id,key,value,time,user\nA;1,b;2,c;3,${T},d;4\n`],
  ])("is what DuckDB says of it where it has %s", async (_, content) => {
    await expectSame(content);
  });

  it("has quotes that DuckDB's sample did not have", async () => {
    const plain = row("a").repeat(40_000);
    await expectSame(header + plain + row('"b"'));
    await expectSame(header + row('"a"') + plain + row('"b ""c"" d"') + row('"b"'));
  });

  it("has whatever comes after DuckDB's sample", async () => {
    const plain = row("a").repeat(40_000);
    await expectSame(header + plain + row("a", "yesterday"));
    await expectSame(header + plain + row("a", "2024-06-30T12:00:00"));
    await expectSame(`${header}${plain}A-1,status\n`);
    await expectSame(Buffer.from(header + plain + row("é"), "latin1"));
    const numbered = `${header.replace("\n", ",other\n")}${row("a").replace("\n", ",5\n").repeat(40_000)}`;
    expect(await expectSame(`${numbered}${row("a").replace("\n", ",five\n")}`)).toBe(true);
  });

  it("takes its order from integers or times", async () => {
    const name = "seq,id,key,value,time\n";
    const of = (...list: readonly string[]) => name + list.map((seq) => `${seq},A-1,status,Open,${T}\n`).join("");
    expect(await expectSame(of("3", "-1", "0", "123456789012345"), ordered)).toBe(true);
    expect(await expectSame(of(T, "2024-06-30T12:00:00.5Z"), ordered)).toBe(true);
    expect(await expectSame(of("2024-06-30T12:00:00"), ordered)).toBe(true);
    for (const list of [
      ["1", "9007199254740993"],
      ["1.5"],
      ["1", ""],
      ["1", T],
      [" 1"],
      ["1_000", "2"],
      ["true", "false"],
    ]) {
      expect(await expectSame(of(...list), ordered)).toBe(false);
    }
    for (const list of [["20240630"], ["0", "1"], ["007"], ["-0"], [...Array<string>(40_000).fill("3"), "007", "-0"]])
      await expectSame(of(...list), ordered);
  });

  it("is the same in any dialect, whatever is in it", async () => {
    const odd = fc.constantFrom(
      "",
      " ",
      '"',
      '""',
      "'",
      ",",
      ";",
      "\t",
      "|",
      "\n",
      "\r\n",
      "\r",
      "\\",
      "#",
      "é",
      "☃",
      "0",
      "-1",
      "1e3",
      "true",
      "null",
      "\uFEFF",
    );
    const texts = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom("A-1", "A-2", "status", "Done", "a text of more than twelve bytes", "5", ""),
      },
      {
        weight: 2,
        arbitrary: fc
          .array(fc.oneof(odd, fc.string({ maxLength: 14 })), { maxLength: 3 })
          .map((parts) => parts.join("")),
      },
    );
    const moments = fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .date({ min: new Date("1971-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
          .map((date) => date.toISOString()),
      },
      { weight: 1, arbitrary: fc.constantFrom(T, "2024-06-30 12:00:00Z", "2024-06-30T14:00:00+02:00") },
    );
    const dialects = fc.record({
      delimiter: fc.constantFrom(",", ",", ";", "\t", "|"),
      newline: fc.constantFrom("\n", "\n", "\r\n"),
      mark: fc.constantFrom("", "", "\uFEFF"),
      quotesAll: fc.boolean(),
      endsLast: fc.boolean(),
      /** Fields that are not quoted though they should be. */
      isRaw: fc.integer({ min: 0, max: 7 }).map((one) => one === 0),
    });
    const written = fc.tuple(
      dialects,
      fc.array(fc.tuple(texts, texts, texts, moments, texts), { minLength: 1, maxLength: 8 }),
    );
    let plain = 0;
    await fc.assert(
      fc.asyncProperty(written, async ([{ delimiter, newline, mark, quotesAll, endsLast, isRaw }, rows]) => {
        const field = (text: string) =>
          !isRaw && (quotesAll || /[",;\t|\r\n]/.test(text)) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [["id", "key", "value", "time", "user"], ...rows].map((list) => list.map(field).join(delimiter));
        plain += Number(await expectSame(mark + lines.join(newline) + (endsLast ? newline : "")));
      }),
      { numRuns: Number(process.env["SITEFRAME_FUZZ"] ?? 40) },
    );
    expect(plain).toBeGreaterThan(10);
  }, 600_000);
});
