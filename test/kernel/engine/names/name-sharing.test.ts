import { expect, test } from "vitest";
import {
  type Fields,
  NameFields,
  NameSharing,
  type Over,
  readName,
} from "../../../../src/kernel/engine/names/name-sharing.js";

const over =
  (name: string): Over =>
  (fields) => [
    () => fields[name],
    (value) => {
      fields[name] = value;
    },
  ];

/** A cell with a variable, as a script has it. */
function cell(names: Record<string, unknown>, fields: NameFields, name: string, value: unknown) {
  const sharing = new NameSharing(names, fields);
  let variable = value;
  const write = (written: unknown) => {
    variable = written;
  };
  sharing.share(name, () => variable, write, over(name));
  return { sharing, variable: () => variable, write };
}

test("a variable moves into a field that all cells read and write", () => {
  const names: Record<string, unknown> = {};
  const fields = new NameFields(names);
  const { variable } = cell(names, fields, "n", 1);
  const held = fields.hold("n") as Fields;
  held["n"] = 2;
  expect(names["n"]).toBe(2);
  names["n"] = 3;
  expect(held).toEqual({ n: 3 });
  expect(fields.hold("n")).toBe(held);
  expect(readName(names, "n")).toEqual({ value: 3 });
  expect(variable()).toBe(held);
  expect(fields.display(held)).toBe(3);
  const other = { n: 3 };
  expect(fields.display(other)).toBe(other);
});

test("a constant is copied and cannot be written; a variable that cannot move stays", () => {
  const names: Record<string, unknown> = { plain: 1 };
  const fields = new NameFields(names);
  const { share } = new NameSharing(names, fields);
  share("constant", () => 5);
  let stays = 1;
  share(
    "stays",
    () => stays,
    (value) => {
      stays = Number(value);
    },
  );
  expect(fields.hold("constant")).toEqual({ constant: 5 });
  expect(Object.isFrozen(fields.hold("constant"))).toBe(true);
  for (const name of ["stays", "plain", "unknown", "toString"]) expect(fields.hold(name)).toBe(names);
});

test("a debugger reads and writes values at their declarations, and restores the fields", () => {
  const names: Record<string, unknown> = {};
  const fields = new NameFields(names);
  const { variable, write } = cell(names, fields, "n", 1);
  const held = fields.hold("n") as Fields;
  held["n"] = 2;
  const takeBack = fields.layOut();
  expect(variable()).toBe(2);
  write(5);
  expect(names["n"]).toBe(5);
  names["n"] = 6;
  expect(variable()).toBe(6);
  takeBack();
  expect(variable()).toBe(held);
  expect(held).toEqual({ n: 6 });
  held["n"] = 7;
  expect(names["n"]).toBe(7);
});

test("reads shared names, and runs no getter of the user", () => {
  const names: Record<string, unknown> = { plain: 1 };
  // A compiled cell: `early` is read before it is set.
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
