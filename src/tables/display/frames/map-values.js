// What a map's features are at each date.
(() => {
  /** `columns` as told-column.ts writes them; `count` features. */
  globalThis.siteframeValues = (columns, count) => {
    const drawn = columns.findIndex(({ classes }) => classes);
    const classes = drawn < 0 ? [] : [0, ...globalThis.siteframeUnpack(columns[drawn].classes)];
    const steps = columns.map(({ dates }) => dates.map(globalThis.siteframeUnpack));

    /** Before the first date: codes of texts by column, and 1 + place of each row's label. */
    const before = () => ({
      date: -1,
      codes: columns.map(() => new Uint32Array(count)),
      labels: new Uint8Array(count).fill(drawn < 0 ? 1 : 0),
    });
    /** Goes on to a date; gives the rows whose label changed, and whether one of them vanished. */
    const goOn = (state, to) => {
      const changed = [];
      let isLess = false;
      while (state.date < to) {
        state.date += 1;
        for (const [column, codes] of state.codes.entries()) {
          const pairs = steps[column][state.date];
          for (let at = 0, row = -1, code = 0; at < pairs.length; at += 2) {
            row += pairs[at];
            code += pairs[at + 1];
            codes[row] = code;
            if (column !== drawn) continue;
            state.labels[row] = classes[code];
            changed.push(row);
            isLess ||= classes[code] === 0;
          }
        }
      }
      return { changed, isLess };
    };
    const textOf = ({ codes }, column, row) => columns[column].texts[codes[column][row] - 1] ?? "none";
    return { before, goOn, textOf, drawn };
  };
})();
