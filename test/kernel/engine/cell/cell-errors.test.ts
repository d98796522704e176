import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colouredTraceback } from "../../../../src/kernel/engine/cell/cell-errors.js";

const codes: Readonly<Record<string, string>> = {
  "0": "]",
  "1": "[bold ",
  "2": "[dim ",
  "31": "[red ",
};

/** Replaces color codes by words. */
const read = (ename: string, traceback: readonly string[]) =>
  colouredTraceback({ ename, traceback }).map((line) =>
    line
      .split("\u001b[")
      .map((part, index) =>
        index === 0 ? part : part.replace(/^(\d+)m/, (_, code: string) => codes[code] ?? `?${code}`),
      )
      .join(""),
  );

describe("the colors of an error", () => {
  test("distinguish its name, frames, failed line and causes", () => {
    const traceback = [
      ...["TypeError: bad: 1\n    at the pole", "Look at it.", "    at f (Cell 1:2:9)", "    … 3 more", "", "Cell 1:"],
      ...[
        "   9 | const a = 1;",
        "> 10 |   throw x;",
        "     |   ^",
        "",
        "Caused by:",
        "RangeError: deep",
        "",
        "`a` is undefined.",
      ],
    ];
    expect(read("TypeError", traceback)).toEqual([
      "[red TypeError]: bad: 1\n    at the pole",
      "Look at it.",
      "[dim     at f (Cell 1:2:9)]",
      "[dim     … 3 more]",
      "",
      "[bold Cell 1:]",
      "[dim    9 |] const a = 1;",
      "[red > 10 |][bold    throw x;]",
      "[dim      |   ][red ^]",
      "",
      "Caused by:",
      "[red RangeError]: deep",
      "",
      "`a` is undefined.",
    ]);
  });

  test("distinguish the parts of each type error", () => {
    const first = ["Cell 2:1:7 - TS2322: Type 'a: b' is invalid.", "> 1 | const s: string = 5;", "    |       ^", ""];
    const second = ["Cell 2:2:1 - Unexpected token", "> 2 | )", "    | ^", ""];
    expect(read("TypeScriptError", [...first, ...second, "… and 1 more errors"])).toEqual([
      "[bold Cell 2:1:7] - [red TS2322]: Type 'a: b' is invalid.",
      "[red > 1 |][bold  const s: string = 5;]",
      "[dim     |       ][red ^]",
      "",
      "[bold Cell 2:2:1] - Unexpected token",
      "[red > 2 |][bold  )]",
      "[dim     | ][red ^]",
      "",
      "… and 1 more errors",
    ]);
  });

  test("change no characters of the text, and end with it", () => {
    const parts = [
      "Error",
      ":",
      " ",
      "Cell 1",
      "1:2",
      " - TS1",
      "> 3 |",
      "    at ",
      "    | ^",
      "\n",
      "",
      "Caused by:",
      "x",
      "é",
    ];
    const line = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((found) => found.join(""));
    fc.assert(
      fc.property(line, fc.array(line, { maxLength: 8 }), (ename, traceback) => {
        const shown = colouredTraceback({ ename, traceback });
        expect(shown.map((each) => stripVTControlCharacters(each))).toEqual(traceback);
        for (const each of shown) expect(each.split("\u001b[").length % 2).toBe(1);
      }),
    );
  });
});
