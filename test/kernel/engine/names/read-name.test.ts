import { expect, test } from "vitest";
import { readName } from "../../../../src/kernel/engine/names/read-name.js";

test("reads what cells share, and runs no getter of the user's", () => {
  const names: Record<string, unknown> = { plain: 1 };
  // What a cell is compiled to: early is read before it is set.
  const share = new Function(
    "names",
    'Object.defineProperties(names, { "late": { get: () => late }, "early": { get: () => early } }); const late = 2; return names; const early = 3;',
  );
  share(names);
  Object.defineProperty(names, "own", {
    get: () => {
      throw new Error("ran");
    },
  });
  expect(readName(names, "plain")).toEqual({ value: 1 });
  expect(readName(names, "late")).toEqual({ value: 2 });
  expect(readName(names, "early")).toBeUndefined();
  expect(readName(names, "own")).toBeUndefined();
  expect(readName(names, "toString")).toBeUndefined();
});
