import { describe, expect, it } from "vitest";
import { ProtocolError } from "../../../src/core/errors.js";
import { decodeRows, recordFeed, rowId } from "../../../src/snapshot/pull/record-feed.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { feature } from "../../support/records.js";

const rows = (records: string, pseudonym?: (value: unknown) => unknown) =>
  decodeRows(Buffer.from(`{"data":[${records}],"pagination":{"page":1,"pageSize":10,"rowCount":1,"pageCount":1}}`), {
    resource: "operations",
    url: "http://here/operations",
    onViolation: () => {},
    pseudonym,
  });

describe("decodeRows", () => {
  it.each([
    ["as they came", undefined],
    ["with pseudonyms", () => "person-1"],
  ])("refuses invalid records without quoting them: rows %s", (_, pseudonym) => {
    expect(() => rows('{"id":1,"contact_name":"Ada" oops}', pseudonym)).toThrow(
      new SyntaxError("a record that is not JSON"),
    );
    for (const value of ["7", "null"]) expect(() => rows(value, pseudonym)).toThrow(ProtocolError);
  });

  it("has no hint to read records that cannot be stored", () => {
    expect(() => rows('{"id":"one"}')).toThrow(
      expect.objectContaining({ path: "$.data[0]", hint: undefined, message: expect.stringContaining("id") }),
    );
  });
});

it("reads pages in order of id", async () => {
  const sorts: unknown[] = [];
  const unused = (): never => {
    throw new Error("not called");
  };
  const page = async (_resource: unknown, _filters: unknown, { sort }: { readonly sort: unknown }): Promise<never> => {
    sorts.push(sort);
    throw new Error("no page");
  };
  const origin = { kind: "memory", name: "records" } as const;
  const feed = recordFeed({ origin, all: unused, records: unused, pages: unused, page }, {});
  await expect(feed.count(1)).rejects.toThrow("no page");
  await expect(feed.logPage([1], 1, 10)).rejects.toThrow("no page");
  const byId = [{ field: "id", descending: false }];
  expect(sorts).toEqual([byId, byId]);
});

describe("records in memory", () => {
  it("may have nonexistent times if the read is not strict", async () => {
    const { reader } = fromRecords({ layerFeatures: [feature(1, { updated_at: "2024-02-30T00:00:00Z" })] });
    const read = async (strict: boolean) => {
      const diagnostics: string[] = [];
      const feed = recordFeed(reader, { strict, onDiagnostic: ({ code }) => diagnostics.push(code) });
      const ids: unknown[] = [];
      for await (const batch of feed.rows("layerFeatures", new Map())) ids.push(...batch.map(rowId));
      return { ids, diagnostics };
    };
    expect(await read(false)).toEqual({ ids: [1], diagnostics: ["record-invalid"] });
    await expect(read(true)).rejects.toThrow(ProtocolError);
  });
});
