import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aq } from "../../../src/arquero.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { toTable, withTableDiagnostics } from "../../../src/tables/column/table.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";

const lengths = Array.from({ length: 20 }, (_, row) => row / 3);
const table = aq.table({ id: lengths.map((_, row) => row), kind: lengths.map((_, row) => `k${row % 3}`), lengths });

async function shown(value: unknown): Promise<string> {
  return String((await toMimeBundle(value))["text/plain"]);
}

let log: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  log = vi.spyOn(console, "log").mockImplementation(() => undefined);
});
afterEach(() => {
  log.mockRestore();
});

/** The text that a call printed. */
function printed(call: () => unknown): unknown {
  log.mockClear();
  call();
  expect(log).toHaveBeenCalledTimes(1);
  return log.mock.calls[0]?.[0];
}

describe("print", () => {
  test.each([
    ["a long table", table],
    ["a short table", table.slice(0, 2)],
    ["an empty table", table.filter(() => false)],
    ["a filtered and ordered table", table.filter((d) => d["id"] > 4).orderby(aq.desc("id"))],
    ["a grouped table", table.groupby("kind")],
    ["a table of Siteframe", toTable([])],
  ])("prints %s as a notebook shows it", async (_, value) => {
    expect(printed(() => value.print())).toBe(await shown(value));
  });

  test("prints the diagnostics of the table below it", async () => {
    const one = { code: "site-not-found", severity: "warning", message: "Unknown site 9.", facts: {} } as const;
    const empty = withTableDiagnostics(toTable([]), [one]);
    expect(printed(() => empty.print())).toBe(await shown(empty));
    expect(await shown(empty)).toContain("1 diagnostic:\n");
  });

  test("returns the table", () => {
    expect(table.print()).toBe(table);
  });

  test("accepts a number of rows", async () => {
    expect(printed(() => table.print(15))).toContain("20 rows × 3 columns, first 15 rows shown");
    expect(printed(() => table.print({ limit: 1 }))).toBe(
      ["id  kind  lengths", " 0  k0          0", "20 rows × 3 columns, first 1 row shown"].join("\n"),
    );
    expect(printed(() => table.print(Number.POSITIVE_INFINITY))).toContain("\n20 rows × 3 columns");
  });

  test("accepts an offset and columns", async () => {
    const last = table.orderby(aq.desc("id"));
    const rest = last.select("kind", "id").slice(18);
    expect(printed(() => last.print({ offset: 18, columns: ["kind", "id"] }))).toBe(await shown(rest));
    expect(printed(() => last.print({ offset: 99, columns: aq.not("kind") }))).toContain("0 rows × 2 columns");
    expect(() => last.print({ columns: "sort" })).toThrow(ArgumentError);
  });
});
