import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oddInstants } from "../../../src/tables/cells/instant-column.js";
import { finishPage } from "../../../src/tables/read/assemble-pages.js";
import { readPage } from "../../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../../src/tables/read/record-reader.js";
import { randomRuns } from "../../support/random-runs.js";

const value = fc.constantFrom<unknown>(
  "2024-01-01T00:00:00.000Z",
  "2024-01-01T00:00:00.001Z",
  "2024-01-01T00:00:00+02:00",
  "2016-12-31T23:59:60.000Z",
  "2024-02-28T24:00:00.000Z",
  "2024-02-30T00:00:00.000Z",
  "soon",
  null,
  undefined,
  1,
  [],
);

describe("odd instants", () => {
  it("are the same in a column read from bytes and in its values", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), (values) => {
        const reader = new RecordReader("layerFeatures");
        const data = values.map((created_at) => ({ created_at, properties: {} }));
        readPage(Buffer.from(JSON.stringify({ data: [{ created_at: null }, ...data] })), reader);
        const column = finishPage(reader, reader.take()).fields.get("created_at");
        if (!column) throw new Error("no column");
        expect(oddInstants(column)).toEqual(oddInstants([null, ...values]));
      }),
      { numRuns: randomRuns(1000) },
    );
  });
});
