// A live table: sorted, filtered, its columns chosen, copied and saved. Texts of the data become text of the page and nothing else.
(async () => {
  const { columnsOf } = globalThis.tableColumns;
  const { make, many, tableHeads } = globalThis.tableHeads;
  const find = (id) => document.getElementById(id);
  const { nearRows } = globalThis.tableRows;
  const { farRows, BLOCK } = globalThis.tableFarRows ?? {};
  const said = find("said");

  const facts = await globalThis.siteframeFacts();
  const { cells } = facts;
  const columns = columnsOf(facts.heads, cells);
  const count = (cells[0].codes ?? cells[0].numbers).length;
  /** Columns that are shown and rows that pass all filters, in order; the cell that has the focus, and where the selection began. */
  const table = {
    columns,
    shown: [...columns],
    left: facts.left,
    rows: nearRows(columns, []),
    at: [0, 0],
    anchor: [0, 0],
  };
  const grid = globalThis.tableGrid(table);
  /** An output that was made without a kernel has nobody to ask. */
  const line = globalThis.tableLine?.({
    name: facts.table,
    columns: columns.length,
    changed: () => changed(),
    waited: () => showCount(),
  }) ?? { isOpen: false, isWaiting: false, state: "unasked" };
  let sorts = [];
  /** Filters by column: words that were typed, and a bar, value or nothing that was clicked. */
  const typed = new Map();
  const clicked = new Map();
  /** Why the last question was not answered. */
  let trouble = "";

  const total = () => (line.isOpen ? facts.rows : count);
  /** Who has the rows that are not here. */
  const others = () => {
    if (count === facts.rows) return "";
    const here = `, of which the first ${many(count)} are here`;
    if (trouble) return `${here} (${trouble})`;
    if (line.isOpen) return `${here} and the others in the kernel`;
    return `${here}${{ silent: "; no kernel gives the others", gone: "; the kernel no longer has the others" }[line.state] ?? ""}`;
  };
  const footText = () => {
    const parts = [];
    if (line.isWaiting) parts.push("waiting for the kernel …");
    if (table.rows.length < total())
      parts.push(`${many(table.rows.length)} of the ${many(total())} rows${line.isOpen ? "" : " here"}`);
    const named = columns.filter(({ type }) => type !== "index").length;
    const wide = named < facts.columns ? `, ${many(named)} of them here` : "";
    parts.push(`${many(facts.rows)} rows${others()}`, `${many(facts.columns)} columns${wide}`);
    if (facts.summarised < facts.rows) parts.push(`summaries of ${many(facts.summarised)} rows, evenly taken`);
    else if (count < facts.rows) parts.push("summaries of all rows");
    if (facts.cut > 0) parts.push(`${many(facts.cut)} long texts are cut`);
    return parts.join(" · ");
  };
  /** What the last row is followed by. */
  const missing = () => {
    if (line.isOpen || count === facts.rows) return "";
    const rest = `${many(facts.rows - count)} more rows are not here`;
    const isAll = sorts.length === 0 && table.rows.length === count;
    return isAll ? rest : `${rest}, and neither sorted nor looked through`;
  };

  const compare = (a, b) => {
    for (const { column, way } of sorts) {
      const [p, q] = [column.rank(a), column.rank(b)];
      if (p === q) continue;
      if (Number.isNaN(p) || Number.isNaN(q)) {
        if (Number.isNaN(p) && Number.isNaN(q)) continue;
        return Number.isNaN(p) ? 1 : -1;
      }
      return p < q ? -way : way;
    }
    return a - b;
  };
  const words = () => find("find").value.split(/\s+/).filter(Boolean);
  const nearOrder = () => {
    const tests = [...clicked.values()].map(({ test }) => test);
    for (const [column, text] of typed) tests.push(column.finder(text));
    for (const word of words()) {
      const finders = table.shown.map((column) => column.finder(word));
      tests.push((row) => finders.some((has) => has(row)));
    }
    const order = [];
    for (let row = 0; row < count; row += 1) if (tests.every((test) => test(row))) order.push(row);
    return sorts.length > 0 ? order.sort(compare) : order;
  };
  /** See `RowQuestion`. */
  const question = () => ({
    order: sorts.map(({ column, way }) => [column.index, way]),
    filter: [
      ...[...clicked].map(([{ index }, { asked }]) => ({ column: index, ...asked })),
      ...[...typed].map(([{ index }, text]) => ({ column: index, words: text })),
    ],
    find: { words: words(), columns: table.shown.map(({ index }) => index) },
  });

  /** How often rows were asked for: an answer to what is no longer asked comes too late. */
  let asks = 0;
  const showCount = () => {
    find("count").textContent = footText();
    grid.say(missing());
  };
  const show = (rows) => {
    asks += 1;
    // The same rows, of which more can be had: who reads them stays where they are.
    const isMore = rows.isPlain && table.rows.isPlain;
    table.rows = rows;
    showCount();
    grid.restart(isMore);
  };
  const showNear = () => {
    const order = nearOrder();
    const isPlain = sorts.length === 0 && order.length === count;
    show(Object.assign(nearRows(columns, order), { isPlain }));
  };
  const failed = ({ message }) => {
    // Without a line that has been said already.
    if (!line.isOpen) return;
    trouble = message;
    showNear();
  };
  const farOf = (of, near, asked) => {
    const ifShown = (act) => (problem) => {
      if (table.rows === rows) act(problem);
    };
    const events = { came: ifShown(() => grid.paint()), failed: ifShown(failed) };
    const rows = farRows({ heads: facts.heads, columns, question: asked, near, of, line, ...events });
    return rows;
  };
  /** Of sorted or filtered rows the first ones say how many there are. Until they come, what was there stays. */
  const askFar = async () => {
    const asked = question();
    if (asked.order.length + asked.filter.length + asked.find.words.length === 0) {
      show(Object.assign(farOf(facts.rows, count, asked), { isPlain: true }));
      return;
    }
    asks += 1;
    const now = asks;
    try {
      const { of, cells: first } = await line.ask({ ...asked, rows: [0, BLOCK] });
      if (now !== asks) return;
      const rows = farOf(of, 0, asked);
      rows.keep(0, first);
      show(rows);
      tell();
    } catch (error) {
      if (now === asks) failed(error);
    }
  };
  const refresh = () => {
    trouble = "";
    if (line.isOpen) askFar();
    else showNear();
    const chips = [...clicked].map(([column, { label }]) =>
      make(
        "button",
        { type: "button", title: "Remove this filter", onclick: () => click(column) },
        `${column.name} ${label} ✕`,
      ),
    );
    find("filters").replaceChildren(...chips);
    markHeads();
  };
  /** Somebody answers for the table, or does no longer. Where nothing is asked, what is here stays as it is. */
  const changed = () => {
    if (!line.isOpen && table.rows.isNear) showCount();
    else refresh();
  };
  const tell = () => {
    said.textContent = `${many(table.rows.length)} of ${many(total())} rows`;
  };
  /** Filters by what was clicked; once more and it is gone. */
  const click = (column, pick) => {
    if (pick === undefined || clicked.get(column)?.key === pick.key) clicked.delete(column);
    else clicked.set(column, pick);
    refresh();
    tell();
  };
  const type = (column, text) => {
    if (text.trim() === "") typed.delete(column);
    else typed.set(column, text);
    refresh();
    tell();
  };
  const markHeads = () => {
    for (const column of table.shown) {
      const place = sorts.findIndex((sort) => sort.column === column);
      const isUp = place >= 0 && sorts[place].way > 0;
      column.head.setAttribute("aria-sort", place < 0 ? "none" : isUp ? "ascending" : "descending");
      column.mark.textContent = place < 0 ? "" : `${isUp ? "▲" : "▼"}${sorts.length > 1 ? place + 1 : ""}`;
      const key = String(clicked.get(column)?.key);
      for (const button of column.head.querySelectorAll("[data-key]"))
        button.setAttribute("aria-pressed", button.dataset.key === key);
    }
  };
  /** Upwards, then downwards, then as it came. With Shift behind what is sorted already. */
  const sort = (column, isMore) => {
    const now = sorts.find((each) => each.column === column);
    const way = now ? (now.way > 0 ? -1 : 0) : 1;
    const others = isMore ? sorts.filter((each) => each !== now) : [];
    sorts = way === 0 ? others : [...others, { column, way }];
    refresh();
    said.textContent = way === 0 ? "Not sorted" : `Sorted by ${column.name}, ${way > 0 ? "ascending" : "descending"}`;
  };

  const move = (column, place) => {
    const others = table.shown.filter((each) => each !== column);
    others.splice(Math.max(0, Math.min(others.length, place)), 0, column);
    table.shown = others;
    markHeads();
    grid.layOut();
    choices();
    said.textContent = `${column.name} is column ${table.shown.indexOf(column) + 1} of ${table.shown.length}`;
  };

  const chooser = find("chooser");
  const choices = () => {
    const hidden = columns.filter((column) => !table.shown.includes(column));
    const lines = [...table.shown, ...hidden].map((column) => {
      const place = table.shown.indexOf(column);
      const box = make("input", { type: "checkbox", checked: place >= 0, "data-key": `${column.index}` });
      box.addEventListener("change", () => {
        const others = table.shown.filter((each) => each !== column);
        table.shown = box.checked ? [...others, column] : others;
        markHeads();
        grid.layOut();
        choices();
      });
      const step = (label, sign, by) => {
        const button = make(
          "button",
          {
            type: "button",
            title: label,
            "aria-label": `${column.name}: ${label}`,
            disabled: place < 0,
            "data-key": `${column.index} ${by}`,
          },
          sign,
        );
        button.addEventListener("click", () => move(column, place + by));
        return button;
      };
      return make(
        "div",
        {},
        make("label", {}, box, column.name || "(index)"),
        step("to the left", "↑", -1),
        step("to the right", "↓", 1),
      );
    });
    const key = document.activeElement?.dataset.key;
    chooser.replaceChildren(...lines);
    for (const each of chooser.querySelectorAll("[data-key]")) if (each.dataset.key === key) each.focus();
  };
  const openChooser = (isOpen) => {
    chooser.hidden = !isOpen;
    find("choose").setAttribute("aria-expanded", isOpen);
  };
  find("choose").addEventListener("click", () => openChooser(chooser.hidden));
  chooser.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    openChooser(false);
    find("choose").focus();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!target.closest("#chooser, #choose")) openChooser(false);
  });

  const say = (text, isBrief) => {
    said.textContent = text;
    find("count").textContent = text;
    if (isBrief) setTimeout(showCount, 1200);
  };
  const { copy, save } = globalThis.tableOut({ table, grid, say });
  find("copy").addEventListener("click", copy);
  find("save").addEventListener("click", save);
  let typing = 0;
  find("find").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      refresh();
      tell();
    }, 120);
  });
  Object.assign(table, { click, type, sort, move, copy });
  const headOf = tableHeads(table);
  for (const column of columns) headOf(column);
  choices();
  grid.layOut();
  refresh();
  document.documentElement.className = "live";
  line.hello?.();
})();
