import { describe, expect, it } from "vitest";
import { hasMember, memberOf } from "../../src/core/member.js";

class Row {
  readonly id = 1;
  get status() {
    return "OPEN";
  }
  close() {
    return "CLOSED";
  }
}

describe("a member of a record", () => {
  it("is not a member that every object inherits", () => {
    for (const name of ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"]) {
      expect([name, hasMember({}, name), memberOf({}, name)]).toEqual([name, false, undefined]);
      expect([name, hasMember(new Row(), name)]).toEqual([name, false]);
    }
  });

  it("may have the name of an inherited member", () => {
    const record = JSON.parse('{"toString":"Ann","__proto__":"Bob","constructor":null}') as object;
    expect(["toString", "__proto__", "constructor"].map((name) => memberOf(record, name))).toEqual([
      "Ann",
      "Bob",
      null,
    ]);
  });

  it("may be a getter of its class or a default that it was created from, but not a method", () => {
    const row = new Row();
    expect(["id", "status", "close"].map((name) => memberOf(row, name))).toEqual([1, "OPEN", undefined]);
    expect(memberOf(Object.create({ status: "OPEN" }), "status")).toBe("OPEN");
  });
});
