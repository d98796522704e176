// A live table: sorted, filtered, its columns chosen, copied and saved. Texts of the data become text of the page and nothing else.
(async () => {
  const { columnsOf, csvName, guarded } = globalThis.tableColumns;
  const { make, many, tableHeads } = globalThis.tableHeads;
  const find = (id) => document.getElementById(id);
  const said = find("said");

  const facts = await globalThis.siteframeFacts();
  const { cells } = facts;
  const columns = columnsOf(facts.heads, cells);
  const count = (cells[0].codes ?? cells[0].numbers).length;
  /** Columns that are shown and rows that pass all filters, in order; the cell that has the focus, and where the selection began. */
  const table = { columns, shown: [...columns], rows: [], at: [0, 0], anchor: [0, 0] };
  const grid = globalThis.tableGrid(table);
  let sorts = [];
  /** Filters by column: words that were typed, and a bar, value or nothing that was clicked. */
  const typed = new Map();
  const clicked = new Map();

  const footText = () => {
    const parts = [];
    if (table.rows.length < count) parts.push(`${many(table.rows.length)} of the ${many(count)} rows here`);
    const here = count < facts.rows ? `, of which the first ${many(count)} are here` : "";
    const named = columns.filter(({ type }) => type !== "index").length;
    const wide = named < facts.columns ? `, ${many(named)} of them here` : "";
    parts.push(`${many(facts.rows)} rows${here}`, `${many(facts.columns)} columns${wide}`);
    if (facts.summarised < facts.rows) parts.push(`summaries of ${many(facts.summarised)} rows, evenly taken`);
    else if (count < facts.rows) parts.push("summaries of all rows");
    if (facts.cut > 0) parts.push(`${many(facts.cut)} long texts are cut`);
    return parts.join(" · ");
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
  const refresh = () => {
    const tests = [...clicked.values()].map(({ test }) => test);
    for (const [column, words] of typed) tests.push(column.finder(words));
    for (const word of find("find").value.split(/\s+/).filter(Boolean)) {
      const finders = table.shown.map((column) => column.finder(word));
      tests.push((row) => finders.some((has) => has(row)));
    }
    table.rows = [];
    for (let row = 0; row < count; row += 1) if (tests.every((test) => test(row))) table.rows.push(row);
    if (sorts.length > 0) table.rows.sort(compare);
    find("count").textContent = footText();
    const chips = [...clicked].map(([column, { label }]) =>
      make(
        "button",
        { type: "button", title: "Remove this filter", onclick: () => click(column) },
        `${column.name} ${label} ✕`,
      ),
    );
    find("filters").replaceChildren(...chips);
    markHeads();
    grid.restart();
  };
  const tell = () => {
    said.textContent = `${many(table.rows.length)} of ${many(count)} rows`;
  };
  /** Filters by what was clicked; once more and it is gone. */
  const click = (column, key, label, test) => {
    if (key === undefined || clicked.get(column)?.key === key) clicked.delete(column);
    else clicked.set(column, { key, label, test });
    refresh();
    tell();
  };
  const type = (column, words) => {
    if (words.trim() === "") typed.delete(column);
    else typed.set(column, words);
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

  /** One cell as it is; several as lines of a spreadsheet, in which no text is a formula. */
  const selected = () => {
    const [top, bottom, left, right] = grid.selection();
    const chosen = table.shown.slice(left, right + 1);
    if (bottom < 0) return chosen.map(({ name }) => name).join("\t");
    if (top === bottom && left === right) return chosen[0].full(table.rows[top]);
    const cell = (text) => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const line = (row) =>
      chosen
        .map((column) =>
          column.isNull(row) ? "" : cell(column.kind === "text" ? guarded(column.full(row)) : column.full(row)),
        )
        .join("\t");
    return table.rows
      .slice(Math.max(0, top), bottom + 1)
      .map(line)
      .join("\n");
  };
  const copy = () => {
    if (table.rows.length === 0 || table.shown.length === 0) return;
    const text = selected();
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
    said.textContent = isDone ? what : "The browser did not let the table copy";
    find("count").textContent = said.textContent;
    setTimeout(() => {
      find("count").textContent = footText();
    }, 1200);
  };
  find("copy").addEventListener("click", copy);
  find("save").addEventListener("click", () => {
    const lines = [
      table.shown.map(({ name }) => csvName(name)).join(),
      ...table.rows.map((row) => table.shown.map((column) => column.csv(row)).join()),
    ];
    const url = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
    make("a", { href: url, download: "table.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    said.textContent = `${many(table.rows.length)} rows as CSV`;
  });
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
})();
