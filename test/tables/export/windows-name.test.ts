import { expect, it } from "vitest";
import { windowsNameProblem } from "../../../src/tables/export/replace-file.js";

it.each([
  ["progress 10:30.csv", 'Windows does not allow ":" in names of files'],
  ["open?.csv", 'Windows does not allow "?" in names of files'],
  ["a\tb.csv", 'Windows does not allow "\\t" in names of files'],
  ["report.", "on Windows, names of files must not end with a dot or a space"],
  ["report ", "on Windows, names of files must not end with a dot or a space"],
  ["con", "con is the name of a device on Windows"],
  ["NUL.csv", "NUL is the name of a device on Windows"],
  ["com1.tar.gz", "com1 is the name of a device on Windows"],
])("finds the problem of %j", (name, problem) => {
  expect(windowsNameProblem(name)).toBe(problem);
});

it.each(["Gräben – Süd.csv", "site_id=12", ".lock", "console.csv", "com10.csv", "a.b"])("accepts %j", (name) => {
  expect(windowsNameProblem(name)).toBeUndefined();
});
