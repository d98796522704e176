import fc from "fast-check";
import { expect, it } from "vitest";
import { positionOrder } from "../../../src/snapshot/serve/position-order.js";

it("sorts the indices of rows by row, equal rows by index", () => {
  const row = fc.oneof(fc.nat({ max: 30 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 300 }), (rows) => {
      const expected = rows.map((_, index) => index).sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0) || a - b);
      expect([...positionOrder(Uint32Array.from(rows))]).toEqual(expected);
    }),
  );
});
