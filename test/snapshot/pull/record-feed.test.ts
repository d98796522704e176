import { describe, expect, it } from "vitest";
import { ProtocolError } from "../../../src/core/errors.js";
import { decodeRows } from "../../../src/snapshot/pull/record-feed.js";

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
