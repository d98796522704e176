import fc from "fast-check";

/** What rows of a table of three columns are asked for. */
export interface Drawn {
  /** What is typed into filters, and looked for in all columns. */
  readonly words: fc.Arbitrary<string>;
  /** What is clicked. */
  readonly values: fc.Arbitrary<string>;
  /** Widths of the bars that are clicked. */
  readonly steps: fc.Arbitrary<number>;
  /** How many columns are sorted by at most, each once or as often as it comes. */
  readonly order: { readonly most: number; readonly isOnce: boolean };
  /** The columns that words are looked for in. */
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
