import { expect, it } from "vitest";
import { withoutValues } from "../../../src/tables/sql/query-error.js";

it.each([
  [
    "Conversion Error: Could not convert string 'Ada Smith' to INT32",
    "Conversion Error: Could not convert string … to INT32",
  ],
  [
    "Invalid Input Error: Invalid value (\"Ada\", 'Bo') in the cast",
    "Invalid Input Error: Invalid value … in the cast",
  ],
  ["Out of Range Error: value 4711 of 'Ada': overflow", "Out of Range Error: value … of …: overflow"],
])("removes values and their quotes, and keeps the words around them: %s", (message, text) => {
  expect(withoutValues(message, "SELECT x FROM layer")).toEqual({ text, isWhole: false });
});

it("keeps literals of the query", () => {
  const message = "Conversion Error: Could not convert string 'Ada' to INT32";
  expect(withoutValues(message, "SELECT 'Ada'::INT")).toEqual({ text: message, isWhole: true });
});
