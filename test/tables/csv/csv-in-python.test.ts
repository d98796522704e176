import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromChanges } from "../../../src/source/from-changes.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findPython } from "../../support/python.js";
import { seed } from "../../support/random-runs.js";

const python = findPython("pyarrow");
const fields = { id: "id", property: "note", value: "to", time: "at" };
const readAt = new Date("2100-01-01T00:00:00Z");
const T = "2024-06-30T12:00:00Z";

describe.runIf(python)("a CSV file and csv.reader", () => {
  const folder = temporaryFolder();

  it("have the same fields with any quotes", async () => {
    // Raw fields with quotes in any position.
    const field = fc
      .array(fc.constantFrom(...'ab"""\'#\\ ;é\n\r'), { maxLength: 7 })
      .map((all) => all.join(""))
      .filter((text) => !/^[^"]*[\r\n]/.test(text));
    const line = fc.tuple(field, field).map(([to, more]) => `A,${T},${to},${more}`);
    const texts = fc.sample(
      fc
        .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom("\n", "\r\n", "\r"))
        .map(([lines, end]) => ["id,at,to,more", ...lines, ""].join(end)),
      { numRuns: 1500, seed },
    );
    const parquet = join(folder, "case.parquet");
    const script = join(import.meta.dirname, "python", "read_csv.py");
    const printed = execFileSync(python?.program ?? "", [script], {
      input: JSON.stringify({ texts, parquet }),
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    const expected = JSON.parse(printed) as readonly (readonly (readonly string[])[])[];
    const path = join(folder, "log.csv");
    let compared = 0;
    for (const [index, rows] of expected.entries()) {
      await writeFile(path, texts[index] as string);
      const read = await fromChanges(path, { ...fields, readAt }).catch((error: Error) => error.message);
      if (typeof read === "string") {
        // csv.reader reads an open quote to the end of the file, which is refused here.
        expect(read).toMatch(/quote that is never closed|missing time|invalid time|has \d+ fields/);
        continue;
      }
      compared += 1;
      const values = read.changes().objects() as readonly { readonly value: unknown }[];
      expect(
        values.map(({ value }) => value ?? ""),
        texts[index],
      ).toEqual(rows.map(([, , to = ""]) => to));
    }
    expect(compared).toBeGreaterThan(400);
    expect((await fromChanges(parquet, { ...fields, readAt })).changes().array("value")).toEqual(["right"]);
  });
});
