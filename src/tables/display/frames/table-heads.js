// Heads of a table's columns: name, type, what all its rows hold, and a filter. Bars and values filter when clicked.
(() => {
  const { edgeText } = globalThis.tableColumns;
  const many = (count) => count.toLocaleString("en-US");
  const make = (name, properties, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key in element) element[key] = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  const tableHeads = (table) => {
    /** @param asked the same filter for the kernel, see `ColumnFilter` */
    const keyButton = (column, { key, label, test, asked }, properties, ...children) =>
      make(
        "button",
        {
          type: "button",
          tabIndex: -1,
          "aria-pressed": "false",
          "data-key": key,
          onclick: () => table.click(column, { key, label, test, asked }),
          ...properties,
        },
        ...children,
      );
    const barsOf = (column) => {
      const { bars, kind, rows: seen } = column.summary;
      const most = Math.max(...bars.counts);
      const share = (part) => `${many(part)} of ${many(seen)} rows`;
      const buttons = bars.counts.map((part, bar) => {
        const first = bars.first + bar;
        const [from, to] = [first * bars.step, (first + 1) * bars.step];
        const isOne = kind === "number" && bars.step === 1 && column.decimals === 0;
        const label = isOne ? `= ${edgeText(column, from)}` : `${edgeText(column, from)} – ${edgeText(column, to)}`;
        // The same sum as the summary's, so that a value on an edge falls to the same side.
        const test = (row) => Math.floor(column.sizeOf(row) / bars.step) === first;
        const height = part === 0 ? "0" : `${Math.max(6, (100 * part) / most)}%`;
        const filled = make("i", {});
        filled.style.height = height;
        return keyButton(
          column,
          { key: `bar ${bar}`, label, test, asked: { bar: [first, bars.step] } },
          { title: `${label}: ${share(part)}`, "aria-label": `${label}: ${share(part)}` },
          filled,
        );
      });
      return make("div", { className: "bars" }, ...buttons);
    };
    const topOf = (column) => {
      const { top, rows: seen, nulls } = column.summary;
      let left = seen - nulls;
      const values = top.map(([value, part]) => {
        left -= part;
        const label = `= ${value === "" ? '""' : value}`;
        const test = (row) => !column.isNull(row) && column.full(row) === value;
        const button = keyButton(
          column,
          { key: `value ${value}`, label, test, asked: { value } },
          { title: `${value}: ${many(part)} of ${many(seen)} rows` },
          value || '""',
        );
        button.style.flexGrow = part;
        return button;
      });
      const rest = make("span", { title: `others: ${many(left)}` });
      rest.style.flexGrow = left;
      return make("div", { className: "top" }, ...values, ...(left > 0 ? [rest] : []));
    };
    /** The share of what is null, which filters when clicked. */
    const nullsOf = (column) => {
      const { nulls, rows } = column.summary;
      if (nulls === 0) return [];
      const percent = (100 * nulls) / rows;
      const share = percent < 1 ? "<1" : percent > 99 && percent < 100 ? ">99" : Math.round(percent);
      const title = `${many(nulls)} of ${many(rows)} rows`;
      const pick = { key: "null", label: "is null", test: column.isNull, asked: { isNull: true } };
      return [keyButton(column, pick, { title }, `${share}% null`)];
    };
    const countOf = ({ distinct, isMore, nulls, rows }) => {
      if (distinct === undefined || rows === nulls) return [];
      if (distinct === 1 && !isMore) return ["1 value"];
      return [
        distinct === rows - nulls && !isMore ? "all different" : `${isMore ? "over " : ""}${many(distinct)} values`,
      ];
    };
    /** Below the picture: a range or a count, and the share of nothing. */
    const wordsOf = (column) => {
      const { summary } = column;
      const texts = summary.range ? summary.range.map((edge) => edgeText(column, edge)) : countOf(summary);
      const words = texts.map((text) => make("span", {}, text));
      words.splice(1, 0, ...nullsOf(column));
      return make("small", {}, ...words);
    };
    const pictureOf = (column) => {
      const { kind, bars, top } = column.summary;
      if (bars && kind === column.kind) return barsOf(column);
      return top && column.kind === "text" ? topOf(column) : make("div", { className: "bars" });
    };
    const headOf = (column) => {
      const name = make("div", { className: "name", draggable: true, title: column.name }, column.name || "\u00a0");
      column.mark = name.appendChild(make("span", { className: "mark" }));
      const input = make("input", {
        type: "text",
        tabIndex: -1,
        placeholder: "filter",
        title: column.kind === "text" ? "A part of the text" : "A part of what is shown, or > >= < <= =",
      });
      input.setAttribute("aria-label", `Filter ${column.name}`);
      column.input = input;
      let wait = 0;
      input.addEventListener("input", () => {
        clearTimeout(wait);
        wait = setTimeout(() => table.type(column, input.value), 120);
      });
      const type = column.kind === "date" && column.type === "date" ? "date, UTC" : column.type;
      column.head = make("th", { scope: "col", tabIndex: -1, className: column.kind === "number" ? "number" : "" });
      column.head.append(name, make("small", { className: "type" }, type), pictureOf(column), wordsOf(column), input);
      column.head.style.width = `${column.width}px`;
      column.head.addEventListener("click", ({ target, shiftKey }) => {
        if (!target.closest("input, button")) table.sort(column, shiftKey);
      });
      name.addEventListener("dragstart", ({ dataTransfer }) =>
        dataTransfer.setData("text/plain", `column ${column.index}`),
      );
      column.head.addEventListener("dragover", (event) => {
        event.preventDefault();
        column.head.classList.add("over");
      });
      column.head.addEventListener("dragleave", () => column.head.classList.remove("over"));
      column.head.addEventListener("drop", (event) => {
        event.preventDefault();
        column.head.classList.remove("over");
        const [, index] = /^column (\d+)$/.exec(event.dataTransfer.getData("text/plain")) ?? [];
        if (index !== undefined) table.move(table.columns[index], table.shown.indexOf(column));
      });
    };
    return headOf;
  };
  globalThis.tableHeads = { make, many, tableHeads };
})();
