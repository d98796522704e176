import fc from "fast-check";

/** Values from which questions about the rows of a table with three columns are drawn. */
export interface Drawn {
  /** Words in filters and in the search of all columns. */
  readonly words: fc.Arbitrary<string>;
  /** Clicked values. */
  readonly values: fc.Arbitrary<string>;
  /** Widths of clicked bars. */
  readonly steps: fc.Arbitrary<number>;
  /** Maximum number of sorted columns, and whether each is sorted only once. */
  readonly order: { readonly most: number; readonly isOnce: boolean };
  /** The searched columns. */
  readonly searched: fc.Arbitrary<number[]>;
}

const place = fc.nat(2);

/** Questions about rows: filters, an order, and words. */
export function drawQuestions({ words, values, steps, order, searched }: Drawn) {
  const filters = fc.oneof(
    fc.record({ column: place, words }),
    fc.record({ column: place, value: values }),
    fc.record({ column: place, isNull: fc.constant(true as const) }),
    fc.record({ column: place, bar: fc.tuple(fc.integer({ min: -2, max: 3 }), steps) }),
  );
  const sort = fc.tuple(place, fc.constantFrom(1 as const, -1 as const));
  return fc.record({
    order: order.isOnce
      ? fc.uniqueArray(sort, { maxLength: order.most, selector: ([column]) => column })
      : fc.array(sort, { maxLength: order.most }),
    filter: fc.array(filters, { maxLength: 2 }),
    find: fc.record({ words: fc.array(words, { maxLength: 2 }), columns: searched }),
  });
}
