// What leaves a table: cells for the clipboard, and rows as a file.
(() => {
  const { csvName, guarded } = globalThis.tableColumns;
  const { make, many } = globalThis.tableHeads;

  /** @param say says a text below the table; for a moment, if nothing follows it */
  globalThis.tableOut = ({ table, grid, say }) => {
    /** One cell as it is; several as lines of a spreadsheet, in which no text is a formula. */
    const cell = (text) => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const cellOf = (column, row) =>
      column.isNull(row) ? "" : cell(column.kind === "text" ? guarded(column.full(row)) : column.full(row));
    const toClipboard = (text) => {
      const give = (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
        event.clipboardData.setData("text/plain", text);
      };
      document.addEventListener("copy", give, { capture: true, once: true });
      const isDone = document.execCommand("copy");
      document.removeEventListener("copy", give, { capture: true });
      const [top, bottom, left, right] = grid.selection();
      const [height, width] = [bottom - top + 1, right - left + 1];
      const what = height * width === 1 ? "Copied the cell" : `Copied ${many(height)} × ${many(width)} cells`;
      say(isDone ? what : "The browser did not let the table copy", true);
    };
    /** At once where all of it is here, since a browser lets a page copy only while it is asked to. */
    const copy = async () => {
      if (table.rows.length === 0 || table.shown.length === 0) return;
      const [top, bottom, left, right] = grid.selection();
      const chosen = table.shown.slice(left, right + 1);
      const [from, to] = [Math.max(0, top), bottom + 1];
      if (bottom < 0) return toClipboard(chosen.map(({ name }) => name).join("\t"));
      const isOne = top === bottom && left === right;
      const lines = [];
      const take = (part, row) => {
        const text = ({ index }) => (isOne ? part[index].full(row) : cellOf(part[index], row));
        lines.push(chosen.map(text).join("\t"));
      };
      const { rows } = table;
      if (rows.isHere(from, to)) {
        for (let place = from; place < to; place += 1) {
          const { part, row } = rows.at(place);
          take(part, row);
        }
        return toClipboard(lines.join("\n"));
      }
      try {
        await rows.each(from, to, take, (done) => say(`${many(done)} of ${many(to - from)} rows`));
        toClipboard(lines.join("\n"));
      } catch {
        say("The kernel did not give all of these rows", true);
      }
    };
    const save = async () => {
      const { rows, shown } = table;
      const parts = [`${shown.map(({ name }) => csvName(name)).join()}\r\n`];
      const take = (part, row) => parts.push(`${shown.map(({ index }) => part[index].csv(row)).join()}\r\n`);
      try {
        await rows.each(0, rows.length, take, (done) => say(`${many(done)} of ${many(rows.length)} rows as CSV`));
      } catch {
        say("The kernel did not give all rows", true);
        return;
      }
      const url = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
      make("a", { href: url, download: "table.csv" }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
      say(`${many(rows.length)} rows as CSV`, true);
    };
    return { copy, save };
  };
})();
