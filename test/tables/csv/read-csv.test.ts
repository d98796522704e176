import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FromChangesOptions } from "../../../src/source/changes-options.js";
import { fromChanges } from "../../../src/source/from-changes.js";
import { rowsOf } from "../../history/small-history.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { randomRuns } from "../../support/random-runs.js";
import { tableDifference } from "../../support/same-tables.js";

const fields = { id: "id", key: "key", value: "value", time: "at", user: "by" } as const;
const readAt = new Date("2100-01-01T00:00:00Z");
const T = "2024-06-30T12:00:00Z";
const header = "id,key,value,at,by\n";
const row = (value: string, time = T) => `A-1,note,${value},${time},ann\n`;

const folder = temporaryFolder();

async function history(content: string | Buffer, options: Partial<FromChangesOptions> = {}, name = "log.csv") {
  const path = join(folder, name);
  await writeFile(path, content);
  return fromChanges(path, { ...fields, readAt, ...options });
}

async function values(content: string | Buffer, options?: Partial<FromChangesOptions>, name?: string) {
  return (await history(content, options, name)).changes().array("value");
}

describe("a CSV file", () => {
  it.each<readonly [string, string | Buffer, readonly unknown[]]>([
    ["a last line without a line end", (header + row("a") + row("b")).slice(0, -1), ["a", "b"]],
    ["lines that end with CRLF", (header + row("a") + row("b")).replaceAll("\n", "\r\n"), ["a", "b"]],
    ["lines that end with CR", (header + row("a") + row("b")).replaceAll("\n", "\r"), ["a", "b"]],
    [
      "mixed line ends",
      header + row("a").replace("\n", "\r\n") + row("b").replace("\n", "\r") + row("c"),
      ["a", "b", "c"],
    ],
    ["line ends in quotes", header + row('"a\nb"') + row('"a\r\nb"') + row('"a\rb"'), ["a\nb", "a\r\nb", "a\rb"]],
    [
      "delimiters and quotes in quotes",
      header + row('"a, b"') + row('"say ""x"""') + row('""""'),
      ["a, b", 'say "x"', '"'],
    ],
    ["a quote inside of a field", header + row('5" pipe') + row('a"b"'), ['5" pipe', 'a"b"']],
    ["a space before a quote", header + row(' "b"'), [' "b"']],
    [
      "characters after a closing quote",
      header + row('"a"b') + row('"a" "b"') + row('"a""b"c"'),
      ["ab", 'a "b"', 'a"bc"'],
    ],
    ["apostrophes", header + row("'a'") + row("'tis") + row("it's"), ["'a'", "'tis", "it's"]],
    ["backslashes", header + row("\\N") + row('"a\\"') + row("a\\,b".replace(",", ";")), ["\\N", "a\\", "a\\;b"]],
    ["number signs", `${header + row("#1")}#A,note,b,2024-06-30T12:00:00Z,ann\n`, ["#1", "b"]],
    ["words for null", header + row("null") + row("NA") + row("None"), ["null", "NA", "None"]],
    ["empty fields", header + row("") + row('""') + row(" "), [null, null, " "]],
    ["blank lines", `\n  \n${header}\n${row("a")}   \n\n${row("b")}\n`, ["a", "b"]],
    ["missing fields at the end", `${header}A-1,note,a,${T}\nA-1,note,b,${T},\n`, ["a", "b"]],
    ["an extra empty field", `${header}${row("a").replace("\n", ",,\n")}`, ["a"]],
    ["a byte order mark", `\uFEFF${header}${row("a")}`, ["a"]],
    ["quoted names", header.replace(/\w+/g, '"$&"') + row("a"), ["a"]],
    ["UTF-16 with its byte order mark", Buffer.from(`\uFEFF${header}${row("é☃")}`, "utf16le"), ["é☃"]],
    ["characters of several bytes", header + row("Ünïcödé ☃ 😀") + row("e\u0301"), ["Ünïcödé ☃ 😀", "e\u0301"]],
    [
      "long fields",
      header + row("x".repeat(600_000)) + row(`"${"y,".repeat(300_000)}"`),
      ["x".repeat(600_000), "y,".repeat(300_000)],
    ],
    [
      "leading zeros and long integers",
      header + row("007") + row("1.10") + row("12345678901234567890"),
      ["007", "1.10", "12345678901234567890"],
    ],
  ])("has the values of csv.reader with %s", async (_, content, expected) => {
    expect(await values(content)).toEqual(expected);
  });

  it.each([
    ["semicolons", ";"],
    ["tabs", "\t"],
    ["bars", "|"],
  ])("is read with %s and reports the delimiter", async (_, delimiter) => {
    const read = await history((header + row("a")).replaceAll(",", delimiter));
    expect(read.changes().array("value")).toEqual(["a"]);
    expect(read.diagnostics).toMatchObject([{ code: "format-detected", facts: { delimiter } }]);
  });

  it("is read with `delimiter` and `encoding` without a diagnostic", async () => {
    const text = (header + row("é")).replaceAll(",", "~");
    const read = await history(Buffer.from(text, "latin1"), { delimiter: "~", encoding: "windows-1252" });
    expect(read.changes().array("value")).toEqual(["é"]);
    expect(read.diagnostics).toEqual([]);
    expect(await values(Buffer.from(text, "utf16le"), { delimiter: "~", encoding: "utf-16le" })).toEqual(["é"]);
  });

  it("is decompressed", async () => {
    expect(await values(gzipSync(header + row("a")), {}, "log.csv.gz")).toEqual(["a"]);
  });

  it("is refused if it decompresses to more than 100 times its size, unless it is small", async () => {
    const small = Buffer.from(header + row("a").repeat(10_000));
    expect(await values(gzipSync(small), {}, "log.csv.gz")).toHaveLength(10_000);
    const large = gzipSync(Buffer.concat([Buffer.from(header), Buffer.from(row("a").repeat(2_000_000))]));
    await expect(values(large, {}, "log.csv.gz")).rejects.toThrow(
      /^".*log\.csv\.gz" decompresses to more than 100 times its size\.$/,
    );
  });

  it("is refused if a row is longer than 128 MiB", async () => {
    await expect(values(`${header + row("a")}"${" ".repeat(140 << 20)}`)).rejects.toThrow(
      /^".*log\.csv" has a row of more than 128 MiB\.$/,
    );
  });

  it.each<readonly [string, string | Buffer, Partial<FromChangesOptions>, string]>([
    ["an empty file", "", {}, "is empty"],
    ["an open quote in the header", `"${header}${row("a")}`, {}, "has a quote in its header that is never closed"],
    ["an open quote", header + row("a") + row('"b'), {}, "Row 1 of .* has a quote that is never closed"],
    ["a long row", header + row("a") + row("b,c"), {}, "Row 1 of .* has 6 fields, but the header has 5"],
    ["a zero byte", header + row("a\0b"), {}, "contains a zero byte"],
    ["Latin 1", Buffer.from(header + row("é"), "latin1"), {}, "is not encoded as utf-8"],
    [
      "damaged UTF-16",
      Buffer.from(`${header}\ud800`, "utf16le"),
      { encoding: "utf-16le" },
      "is not encoded as utf-16le",
    ],
    ["two columns of one name", header.replace("by", "value") + row("a"), { user: undefined }, 'two columns "value"'],
    ["a name that differs in case", header.replace("value", "Value") + row("a"), {}, 'unknown column "value"'],
    ["spaces around names", header.replaceAll(",", " , ") + row("a"), {}, 'no column "id"'],
    ["a title", `Changes\n\n${header}${row("a")}`, {}, 'no column "id"'],
    ["no time", header + row("a") + row("a", ""), {}, "missing time in row 1 \\(option time\\)"],
    ["an unknown encoding", header, { encoding: "latin9000" }, 'unknown encoding "latin9000"'],
    ["an invalid delimiter", header, { delimiter: ";;" }, 'invalid delimiter ";;"'],
  ])("is refused with %s", async (_, content, options, message) => {
    await expect(history(content, options)).rejects.toThrow(new RegExp(message));
  });

  it.each([
    ["45383", "Excel"],
    ["04/03/24", 'timeFormat: "%m/%d/%y" or timeFormat: "%d/%m/%y"'],
    ["25/03/2024", 'timeFormat: "%d/%m/%Y"'],
    ["20240403", 'timeFormat: "%Y%m%d"'],
    ["1710000000", 'timeFormat: "%s"'],
    ["02/May/24 10:00 AM", 'timeFormat: "%d/%b/%y %I:%M %p"'],
  ])("is refused with the time %s and a hint, like rows in memory", async (at, hint) => {
    const refused = { code: "ERR_ARGUMENT", hint: expect.stringContaining(hint), facts: { row: 1 } };
    await expect(history(header + row("a") + row("a", at))).rejects.toMatchObject(refused);
    const rows = [T, at].map((time) => ({ id: "A-1", key: "note", value: "a", at: time, by: "ann" }));
    await expect(fromChanges(rows, fields)).rejects.toMatchObject(refused);
  });

  it("quotes no data if its first row is not a header", async () => {
    const error: unknown = await history(row("a").replace("ann", "Petra Muster")).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/no column "id" .* nor the columns of the other options\. Check that its first row/);
    expect(String(error)).not.toContain("Petra");
  });

  it("quotes an invalid time only if it consists of parts of a time", async () => {
    await expect(history(header + row("a", "30/06/2024"))).rejects.toThrow(
      'fromChanges(): "log.csv": invalid time "30/06/2024" in row 0 (option time)',
    );
    await expect(history(header + row("a", "Monika Muster"))).rejects.toThrow(
      "invalid time a string of 13 characters in row 0 (option time)",
    );
  });

  it("has times in `timeFormat`, like rows in memory", async () => {
    const options = { timeFormat: "%m/%d/%Y", timeZone: "UTC" };
    const rows = [{ id: "A-1", key: "note", value: "a", at: "03/04/2024", by: "ann" }];
    for (const read of [
      await history(header + row("a", "03/04/2024"), options),
      await fromChanges(rows, { ...fields, ...options }),
    ])
      expect(read.changes().get("created_at", 0)).toEqual(new Date("2024-03-04T00:00:00Z"));
    await expect(history(header + row("a", T), options)).rejects.toThrow("invalid time");
  });

  it("is ordered by numbers of any length, and by times", async () => {
    const name = "id,value,at,seq\n";
    const ordered = async (...sequence: readonly string[]) => {
      const content = name + sequence.map((seq, index) => `A,${"abc"[index]},${T},${seq}\n`).join("");
      const options = { ...fields, key: undefined, user: undefined, property: "note", sequence: "seq" };
      return (await history(content, options)).changes().array("value").join("");
    };
    expect(await ordered("3", "-1", "2")).toBe("bca");
    expect(await ordered("1161888007138312193", "1161888007138312192")).toBe("ba");
    expect(await ordered("2.5", "10", "2.25")).toBe("cab");
    expect(await ordered("2024-01-02", "2024-01-01T00:00:00Z").catch((error: Error) => error.message)).toContain(
      "zone",
    );
    expect(await ordered("2024-01-02T00:00:00Z", "2024-01-01T00:00:00Z")).toBe("ba");
    await expect(ordered("1", "")).rejects.toThrow("missing time in row 1 (option sequence)");
    await expect(ordered("1", T)).rejects.toThrow("mixes times and numbers");
  });

  it("reads entities by the same rules", async () => {
    const entities = join(folder, "entities.csv");
    await writeFile(entities, "id;note;Note\n#1;a;007\n#2;'b';\n");
    const read = await history("id;value;at\n#1;a;2024-01-01T00:00:00Z\n", {
      ...{ key: undefined, user: undefined, property: "note", entities },
    });
    expect(rowsOf(read.asOf("2024-01-02"))).toEqual([
      { id: "#1", note: "a", Note: "007" },
      { id: "#2", note: "'b'", Note: null },
    ]);
  });

  const texts = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(..."A-1 A-2 status Done constructor __proto__".split(" "), "more than twelve bytes"),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(..."1 1.0 01 -0 1e3 5 -2.5 true false 12345678901234567890 NaN".split(" ")),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.constantFrom(..." \"',;\t|\n\r\\#é☃~:/"), { minLength: 1, maxLength: 5 })
        .map((all) => `x${all.join("")}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.constantFrom(..." \"',;\t|\n\r\\#é☃"), { minLength: 1, maxLength: 4 })
        .map((all) => `${all.join("")}x`),
    },
    {
      weight: 1,
      arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 14 }).filter((text) => !text.includes("\0")),
    },
  );
  const times = fc
    .date({ min: new Date("1900-01-01"), max: new Date("2090-01-01"), noInvalidDate: true })
    .chain((date) => {
      const iso = date.toISOString();
      return fc.constantFrom(
        iso,
        `${iso.slice(0, 19)}Z`,
        `${iso.slice(0, 23)}+05:30`,
        iso.slice(0, 19),
        iso.slice(0, 19).replace("T", " "),
        iso.slice(0, 10),
      );
    });
  const changes = fc.array(
    fc.record({
      id: texts,
      key: texts,
      value: fc.oneof({ weight: 5, arbitrary: texts }, fc.constant("")),
      at: times,
      by: texts,
    }),
    { minLength: 1, maxLength: 12 },
  );
  const formats = fc.record({
    delimiter: fc.constantFrom(",", ",", ";", "\t", "|", "~"),
    lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
    isMarked: fc.boolean(),
    isUtf16: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
    endsLast: fc.boolean(),
    quotes: fc.infiniteStream(fc.boolean()),
    names: fc.shuffledSubarray(["id", "key", "value", "at", "by", "Value", "other"], { minLength: 7 }),
  });

  it("equals the same rows in memory", async () => {
    await fc.assert(
      fc.asyncProperty(
        changes,
        formats,
        async (rows, { delimiter, lineEnd, isMarked, isUtf16, endsLast, quotes, names }) => {
          const mustQuote = new RegExp(`^"|[\\r\\n${delimiter === "|" ? "\\|" : delimiter}]`);
          const field = (text: string) =>
            mustQuote.test(text) || quotes.next().value ? `"${text.replaceAll('"', '""')}"` : text;
          const line = (texts: readonly string[]) => texts.map(field).join(delimiter);
          const full = rows.map((each) => ({ ...each, Value: "WRONG", other: "" }) as Readonly<Record<string, string>>);
          const content = [names, ...full.map((each) => names.map((name) => each[name] as string))]
            .map(line)
            .join(lineEnd);
          const text = `${isMarked || isUtf16 ? "\uFEFF" : ""}${content}${endsLast ? lineEnd : ""}`;
          const read = await history(Buffer.from(text, isUtf16 ? "utf16le" : "utf8"), {
            timeZone: "Europe/Berlin",
            ...(delimiter === "~" ? { delimiter } : {}),
          });
          const expected = await fromChanges(typed(rows), { ...fields, timeZone: "Europe/Berlin", readAt });
          expect(tableDifference(expected.changes(), read.changes())).toBeUndefined();
        },
      ),
      { numRuns: randomRuns(1200) },
    );
  });
});

/** Rows with numbers or booleans if all values of a property are written as such. */
function typed(rows: readonly { id: string; key: string; value: string; at: string; by: string }[]) {
  const areIntegers = (name: "id" | "by") =>
    rows.every((row) => /^(0|-?[1-9]\d*)$/.test(row[name]) && Number.isSafeInteger(+row[name]));
  const kept = (name: "id" | "by") => (areIntegers(name) ? Number : String);
  const [id, by] = [kept("id"), kept("by")];
  const convert = (key: string) => {
    const own = rows.filter((row) => row.key === key && row.value !== "").map(({ value }) => value);
    if (own.every((value) => String(Number(value)) === value && Number.isFinite(Number(value)))) return Number;
    return own.every((value) => value === "true" || value === "false") ? (value: string) => value === "true" : String;
  };
  return rows.map((row) => ({
    ...row,
    id: id(row.id),
    by: by(row.by),
    value: row.value === "" ? null : convert(row.key)(row.value),
  }));
}
