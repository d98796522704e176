// Rows of a table that its output holds, by their place.
(() => {
  /** Rows that are here, in an order. */
  const nearRows = (columns, order) => ({
    isNear: true,
    length: order.length,
    at: (place) => ({ part: columns, row: order[place] }),
    want: () => {},
    each: async (from, to, take) => {
      for (let place = from; place < to; place += 1) take(columns, order[place]);
    },
    isHere: () => true,
  });
  globalThis.tableRows = { nearRows };
})();
