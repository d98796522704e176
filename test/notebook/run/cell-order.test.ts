import { describe, expect, test } from "vitest";
import type { Cell, Notebook } from "../../../src/notebook/file/notebook.js";
import { orderConflicts } from "../../../src/notebook/run/cell-order.js";

/** The code of a cell, and when it ran. */
type Ran = readonly [source: string, count: number | null];

function notebookOf(cells: readonly Ran[]): Notebook {
  return {
    ...{ nbformat: 4, nbformat_minor: 5, metadata: {} },
    cells: cells.map(
      ([source, execution_count]): Cell => ({ cell_type: "code", metadata: {}, source, execution_count, outputs: [] }),
    ),
  };
}

const conflictsOf = (cells: readonly Ran[]) =>
  orderConflicts(notebookOf(cells)).map(({ cellIndex, name, used, inOrder }) => [cellIndex, name, used, inOrder]);

describe("cells that ran in the order of the file have no conflicts", () => {
  test.each([
    [
      "from 1",
      [
        ["const x = 1;", 1],
        ["x + 1", 2],
      ],
    ],
    [
      "after a restart, with gaps",
      [
        ["let x = 1;", 4],
        ["x += 1;", 7],
        ["x", 9],
      ],
    ],
    [
      "and were never run",
      [
        ["const x = 1;", null],
        ["x", null],
      ],
    ],
    [
      "with names of functions and blocks",
      [
        ["const f = (x: number) => x;", 2],
        ["{ const x = 3; }", 1],
        ["f(2)", 3],
      ],
    ],
    [
      "with keys and members of the same name",
      [
        ["const o = { x: 1 };", 1],
        ["let x = 5;", 3],
        ["o.x", 4],
      ],
    ],
    [
      "with a cell that cannot be parsed",
      [
        ["const x = ;", 2],
        ["console.log(1)", 1],
      ],
    ],
  ] as const)("%s", (_, cells) => {
    expect(conflictsOf(cells)).toEqual([]);
  });
});

describe("a conflict names the cell whose value was used, and that of the file's order", () => {
  test.each([
    [
      "a cell below",
      [
        ["total", 2],
        ["const total = 1;", 1],
      ],
      [0, "total", 1, undefined],
    ],
    [
      "a cell that ran again later",
      [
        ["let x = 1;", 3],
        ["x", 2],
      ],
      [1, "x", undefined, 0],
    ],
    [
      "a cell between that ran later",
      [
        ["let x = 1;", 1],
        ["x = 2;", 3],
        ["x", 2],
      ],
      [2, "x", 0, 1],
    ],
    [
      "a cell that was not run",
      [
        ["let x = 1;", 1],
        ["x++;", null],
        ["x", 2],
      ],
      [2, "x", 0, 1],
    ],
    [
      "a pattern",
      [
        ["let x = 1, y = 2;", 1],
        ["[x, { y }] = [3, { y: 4 }];", 3],
        ["y", 2],
      ],
      [2, "y", 0, 1],
    ],
    [
      "a loop",
      [
        ["let x = 1;", 1],
        ["for (x of [1, 2]) { }", 3],
        ["x", 2],
      ],
      [2, "x", 0, 1],
    ],
    [
      "an import",
      [
        ["join('a', 'b')", 2],
        ["import { join } from 'node:path';", 1],
      ],
      [0, "join", 1, undefined],
    ],
    [
      "a use in a function",
      [
        ["const f = () => rate;", 2],
        ["const rate = 2;", 1],
      ],
      [0, "rate", 1, undefined],
    ],
  ] as const)("%s", (_, cells, conflict) => {
    expect(conflictsOf(cells)).toEqual([conflict]);
  });
});
