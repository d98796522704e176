import { expect, it } from "vitest";
import { sqlNames } from "../../../src/tables/sql/sql-names.js";

const key = "aaaaaaaa-75a1-4c3e-9b10-000000000001";

it("adds the kind to names that differ in case only: field, built-in key, property", () => {
  const columns = [{ name: "id" }, { name: "ID", key }, { name: "Id", key: "ID" }, { name: "other" }];
  const names = ["id (field)", "ID (aaaaaaaa)", "Id (built-in)"];
  expect(sqlNames(columns)).toEqual({
    names: [...names, "other"],
    renamed: [{ names: ["id", "ID", "Id"], sqlNames: names }],
  });
});

it("adds whole keys if their beginnings are equal, and a number to fields", () => {
  const other = "aaaaaaaa-75a1-4c3e-9b10-000000000002";
  const properties = [
    { name: "A", key },
    { name: "A", key: other },
  ];
  expect(sqlNames(properties).names).toEqual([`A (${key})`, `A (${other})`]);
  expect(sqlNames([{ name: "b" }, { name: "B" }]).names).toEqual(["b (field, 1)", "B (field, 2)"]);
});
