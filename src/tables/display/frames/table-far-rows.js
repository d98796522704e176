// Rows of a table that the kernel gives as they are scrolled to, by their place.
(() => {
  const { columnsOf } = globalThis.tableColumns;
  const BLOCK = 200;
  /** Milliseconds after which whoever scrolls on may ask once more. */
  const LOST = 10_000;
  /** Blocks that are kept: as many rows as an output may hold would be too much beside them. */
  const KEPT = 100;
  /** Rows that are asked for at once, to be copied or saved. */
  const PART = 2000;

  /**
   * Rows that the kernel has.
   *
   * @param near how many of the first ones are here too, since nothing is sorted nor filtered
   */
  const farRows = ({ heads, columns, question, near, of, line, came, failed }) => {
    const blocks = new Map();
    let wanted;
    /** When the question was asked that is not answered; undefined: there is none. */
    let asked;
    const partOf = (cells) => columnsOf(heads, cells, columns);
    const keep = (block, cells) => {
      blocks.delete(block);
      blocks.set(block, partOf(cells));
      if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
    };
    const rows = { length: of };
    const blockAt = (place) => Math.floor(place / BLOCK);
    rows.at = (place) => {
      if (place < near) return { part: columns, row: place };
      const part = blocks.get(blockAt(place));
      return part && { part, row: place % BLOCK };
    };
    const missing = (from, to) => {
      for (let place = Math.max(from, near); place < to; place = (blockAt(place) + 1) * BLOCK)
        if (!blocks.has(blockAt(place))) return blockAt(place);
      return undefined;
    };
    rows.isHere = (from, to) => missing(from, to) === undefined;
    /** One question at a time: who scrolls fast is answered for where they are now. */
    const pump = async () => {
      // An interrupt of the kernel takes the answer with it.
      const isAsking = asked !== undefined && performance.now() - asked < LOST;
      const block = isAsking ? undefined : missing(...wanted);
      if (block === undefined) return;
      asked = performance.now();
      try {
        const answer = await line.ask({ ...question, rows: [block * BLOCK, Math.min(of, (block + 1) * BLOCK)] });
        if (answer.of !== of) throw new Error("the table has changed");
        keep(block, answer.cells);
        asked = undefined;
        came();
        pump();
      } catch (error) {
        asked = undefined;
        failed(error);
      }
    };
    rows.want = (from, to) => {
      wanted = [from, to];
      pump();
    };
    /** Every row from one place to another, in parts. */
    rows.each = async (from, to, take, told = () => {}) => {
      let place = from;
      for (; place < Math.min(to, near); place += 1) take(columns, place);
      while (place < to) {
        const end = Math.min(to, place + PART);
        const answer = await line.ask({ ...question, rows: [place, end] });
        if (answer.of !== of) throw new Error("the table has changed");
        const part = partOf(answer.cells);
        for (let row = 0; row < end - place; row += 1) take(part, row);
        place = end;
        told(place - from);
      }
    };
    return Object.assign(rows, { keep });
  };
  globalThis.tableFarRows = { farRows, BLOCK };
})();
