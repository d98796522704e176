// A live table: the rows in view, sorted and filtered. Texts of the data become text of the page and nothing else.
(async () => {
  const ROW = 25;
  /** Rows above and below those in view, which are there before they are scrolled to. */
  const SPARE = 6;
  const { columnsOf, csvName, edgeText, guarded } = globalThis.tableColumns;
  const find = (id) => document.getElementById(id);
  const [grid, scroll, said] = ["grid", "scroll", "said"].map(find);
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

  /** JSON as it is, or deflated in base64. */
  const read = async (id) => {
    const { type, textContent } = find(id);
    if (type === "application/json") return JSON.parse(textContent);
    const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(plain).text());
  };

  const facts = await read("facts");
  const cells = await read("cells");
  const columns = columnsOf(facts.heads, cells);
  const count = (cells[0].codes ?? cells[0].numbers).length;
  /** Columns that are shown, and rows that pass all filters, both in order. */
  let shown = [...columns];
  let rows = [];
  let sorts = [];
  /** Filters by column: words that were typed, and a bar, value or nothing that was clicked. */
  const typed = new Map();
  const clicked = new Map();
  let [at, anchor] = [
    [0, 0],
    [0, 0],
  ];

  const footText = () => {
    const parts = [];
    if (rows.length < count) parts.push(`${many(rows.length)} of the ${many(count)} rows here`);
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
      const finders = shown.map((column) => column.finder(word));
      tests.push((row) => finders.some((has) => has(row)));
    }
    rows = [];
    for (let row = 0; row < count; row += 1) if (tests.every((test) => test(row))) rows.push(row);
    if (sorts.length > 0) rows.sort(compare);
    find("count").textContent = footText();
    grid.setAttribute("aria-rowcount", rows.length + 1);
    const chips = [...clicked].map(([column, { label }]) =>
      make(
        "button",
        { type: "button", title: "Remove this filter", onclick: () => click(column) },
        `${column.name} ${label} ✕`,
      ),
    );
    find("filters").replaceChildren(...chips);
    scroll.scrollTop = 0;
    [at, anchor] = [
      [0, at[1]],
      [0, at[1]],
    ];
    markHeads();
    paint(true);
  };
  const tell = () => {
    said.textContent = `${many(rows.length)} of ${many(count)} rows`;
  };
  /** Filters by what was clicked; once more and it is gone. */
  const click = (column, key, label, test) => {
    if (key === undefined || clicked.get(column)?.key === key) clicked.delete(column);
    else clicked.set(column, { key, label, test });
    refresh();
    tell();
  };
  const markHeads = () => {
    for (const column of shown) {
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

  const keyButton = (column, key, label, test, properties, ...children) =>
    make(
      "button",
      {
        type: "button",
        tabIndex: -1,
        "aria-pressed": "false",
        "data-key": key,
        onclick: () => click(column, key, label, test),
        ...properties,
      },
      ...children,
    );
  const barsOf = (column) => {
    const { bars, kind, rows: seen } = column.summary;
    const most = Math.max(...bars.counts);
    const share = (part) => `${many(part)} of ${many(seen)} rows`;
    const buttons = bars.counts.map((part, bar) => {
      const [from, to] = [bars.from + bar * bars.step, bars.from + (bar + 1) * bars.step];
      const isOne = kind === "number" && bars.step === 1 && column.decimals === 0;
      const label = isOne ? `= ${edgeText(column, from)}` : `${edgeText(column, from)} – ${edgeText(column, to)}`;
      // The same sum as the summary's, so that a value on an edge falls to the same side.
      const first = Math.round(bars.from / bars.step) + bar;
      const test = (row) => Math.floor(column.valueOf(row) / bars.step) === first;
      const height = part === 0 ? "0" : `${Math.max(6, (100 * part) / most)}%`;
      const bar_ = make("i", {});
      bar_.style.height = height;
      return keyButton(
        column,
        `bar ${bar}`,
        label,
        test,
        { title: `${label}: ${share(part)}`, "aria-label": `${label}: ${share(part)}` },
        bar_,
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
        `value ${value}`,
        label,
        test,
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
  /** What all rows hold: a picture, and below it a range or a count, and the share of nothing. */
  const summaryOf = (column) => {
    const { summary } = column;
    const { range, bars, top, distinct, isMore, nulls, rows: seen } = summary;
    const hasBars = bars && summary.kind === column.kind;
    const picture = hasBars
      ? barsOf(column)
      : top && column.kind === "text"
        ? topOf(column)
        : make("div", { className: "bars" });
    const words = make("small", {});
    const percent = (100 * nulls) / Math.max(1, seen);
    const share = percent > 0 && percent < 1 ? "<1" : percent < 100 && percent > 99 ? ">99" : Math.round(percent);
    const none =
      nulls > 0
        ? [
            keyButton(
              column,
              "null",
              "is null",
              column.isNull,
              { title: `${many(nulls)} of ${many(seen)} rows` },
              `${share}% null`,
            ),
          ]
        : [];
    const counted =
      distinct === seen - nulls && !isMore ? "all different" : `${isMore ? "over " : ""}${many(distinct ?? 0)} values`;
    const isCounted = distinct !== undefined && seen > nulls;
    const [first, ...others] = range ? range.map((edge) => edgeText(column, edge)) : isCounted ? [counted] : [];
    const word = (text) => make("span", {}, text);
    words.append(...(first === undefined ? [] : [word(first)]), ...none, ...others.map(word));
    return [picture, words];
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
      wait = setTimeout(() => {
        if (input.value.trim() === "") typed.delete(column);
        else typed.set(column, input.value);
        refresh();
        tell();
      }, 120);
    });
    const type = column.kind === "date" && column.type === "date" ? "date, UTC" : column.type;
    column.head = make("th", { scope: "col", tabIndex: -1, className: column.kind === "number" ? "number" : "" });
    column.head.append(name, make("small", { className: "type" }, type), ...summaryOf(column), input);
    column.head.style.width = `${column.width}px`;
    column.head.addEventListener("click", ({ target, shiftKey }) => {
      if (!target.closest("input, button")) sort(column, shiftKey);
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
      if (index !== undefined) move(columns[index], shown.indexOf(column));
    });
  };

  const headRow = make("tr", { "aria-rowindex": 1 });
  const body = make("tbody", {});
  const space = () => make("tr", { className: "space", "aria-hidden": "true" }, make("td", {}));
  const [above, below] = [space(), space()];
  for (const column of columns) headOf(column);
  grid.append(make("thead", {}, headRow), body);

  /** Takes the columns that are shown into the table, in their order. */
  const layOut = () => {
    headRow.replaceChildren(...shown.map(({ head }) => head));
    grid.setAttribute("aria-colcount", shown.length);
    grid.style.width = `${shown.reduce((sum, { width }) => sum + width, 0)}px`;
    for (const { firstChild } of [above, below]) firstChild.colSpan = Math.max(1, shown.length);
    at[1] = Math.max(0, Math.min(shown.length - 1, at[1]));
    anchor = [...at];
    markHeads();
    paint(true);
  };
  const move = (column, place) => {
    const others = shown.filter((each) => each !== column);
    others.splice(Math.max(0, Math.min(others.length, place)), 0, column);
    shown = others;
    layOut();
    choices();
    said.textContent = `${column.name} is column ${shown.indexOf(column) + 1} of ${shown.length}`;
  };

  const chooser = find("chooser");
  const choices = () => {
    const hidden = columns.filter((column) => !shown.includes(column));
    const lines = [...shown, ...hidden].map((column) => {
      const place = shown.indexOf(column);
      const box = make("input", { type: "checkbox", checked: place >= 0 });
      box.addEventListener("change", () => {
        if (!box.checked) shown = shown.filter((each) => each !== column);
        else
          shown =
            columns.filter((each) => each === column || shown.includes(each)).length === shown.length + 1
              ? [...shown, column]
              : shown;
        layOut();
        choices();
      });
      const step = (label, sign, by) => {
        const button = make(
          "button",
          { type: "button", title: label, "aria-label": `${column.name}: ${label}`, disabled: place < 0 },
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
    chooser.replaceChildren(...lines);
  };
  const openChooser = (isOpen) => {
    chooser.hidden = !isOpen;
    find("choose").setAttribute("aria-expanded", isOpen);
  };
  find("choose").addEventListener("click", () => openChooser(chooser.hidden));
  document.addEventListener("pointerdown", ({ target }) => {
    if (!target.closest("#chooser, #choose")) openChooser(false);
  });

  const built = new Map();
  const selection = () => [
    Math.min(at[0], anchor[0]),
    Math.max(at[0], anchor[0]),
    Math.min(at[1], anchor[1]),
    Math.max(at[1], anchor[1]),
  ];
  const rowAt = (place) => {
    const row = rows[place];
    const line = make("tr", { "aria-rowindex": place + 2 });
    for (const column of shown) {
      const text = column.text(row);
      const full = column.full(row);
      const classes = `${column.kind === "number" ? "number" : ""}${column.isNull(row) ? " dim" : ""}`;
      const cell = make(
        "td",
        { tabIndex: -1, className: classes },
        text.length > 300 ? `${text.slice(0, 300)}…` : text,
      );
      if (full !== text || text.length > 12) cell.title = full;
      line.append(cell);
    }
    return line;
  };
  /** Only rows in view are there; the rest is room above and below. */
  const paint = (isAll) => {
    if (isAll) built.clear();
    const height = Math.ceil(scroll.clientHeight / ROW) + 2 * SPARE;
    const first = Math.max(0, Math.min(rows.length - height, Math.floor(scroll.scrollTop / ROW) - SPARE));
    const last = Math.min(rows.length, first + height);
    const lines = [];
    for (const place of built.keys()) if (place < first || place >= last) built.delete(place);
    for (let place = first; place < last; place += 1) {
      if (!built.has(place)) built.set(place, rowAt(place));
      lines.push(built.get(place));
    }
    above.firstChild.style.height = `${first * ROW}px`;
    below.firstChild.style.height = `${(rows.length - last) * ROW}px`;
    const focused = document.activeElement?.closest?.("td");
    body.replaceChildren(above, ...lines, below);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    select();
  };
  const select = () => {
    const [top, bottom, left, right] = selection();
    const isMany = top < bottom || left < right;
    for (const [place, { children }] of built) {
      for (let column = 0; column < children.length; column += 1) {
        const isIn = isMany && place >= top && place <= bottom && column >= left && column <= right;
        const cell = children[column];
        if (isIn) cell.setAttribute("aria-selected", "true");
        else if (cell.hasAttribute("aria-selected")) cell.removeAttribute("aria-selected");
        cell.tabIndex = place === at[0] && column === at[1] ? 0 : -1;
      }
    }
    for (const [column, { head }] of shown.entries()) head.tabIndex = at[0] < 0 && column === at[1] ? 0 : -1;
  };
  let isDue = false;
  scroll.addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      paint();
    });
  });
  new ResizeObserver(() => paint()).observe(scroll);

  const cellAt = ([place, column]) => (place < 0 ? shown[column]?.head : built.get(place)?.children[column]);
  /** Brings a cell into view and the focus to it. */
  const go = (place, column, isMore) => {
    if (shown.length === 0) return;
    at = [Math.max(-1, Math.min(rows.length - 1, place)), Math.max(0, Math.min(shown.length - 1, column))];
    if (!isMore || at[0] < 0) anchor = [...at];
    if (at[0] >= 0) {
      const room = scroll.clientHeight - grid.tHead.offsetHeight;
      const top = at[0] * ROW;
      if (top < scroll.scrollTop) scroll.scrollTop = top;
      else if (top + ROW > scroll.scrollTop + room) scroll.scrollTop = top + ROW - room;
    }
    paint();
    const cell = cellAt(at);
    const [left, right] = [cell.offsetLeft, cell.offsetLeft + cell.offsetWidth];
    if (left < scroll.scrollLeft || right > scroll.scrollLeft + scroll.clientWidth)
      scroll.scrollLeft = Math.min(left, right - scroll.clientWidth);
    if (left < scroll.scrollLeft) scroll.scrollLeft = left;
    cell.focus({ preventScroll: true });
  };
  const ends = (event) => {
    const page = Math.max(1, Math.floor((scroll.clientHeight - grid.tHead.offsetHeight) / ROW) - 1);
    const isFar = event.ctrlKey || event.metaKey;
    const [row, column] = at;
    const [last, wide] = [rows.length - 1, shown.length - 1];
    const targets = {
      ArrowDown: [isFar ? last : row + 1, column],
      ArrowUp: [isFar ? Math.min(row, 0) : row - 1, column],
      ArrowLeft: [row, isFar ? 0 : column - 1],
      ArrowRight: [row, isFar ? wide : column + 1],
      PageDown: [Math.max(0, row) + page, column],
      PageUp: [Math.max(0, row - page), column],
      Home: [isFar ? 0 : row, 0],
      End: [isFar ? last : row, wide],
    };
    return targets[event.key];
  };
  const keydown = (event) => {
    if (event.target.closest("input")) {
      if (event.key === "Escape") go(at[0], at[1]);
      return;
    }
    const isHead = at[0] < 0;
    if (isHead && event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      const place = Math.max(0, Math.min(shown.length - 1, at[1] + (event.key === "ArrowLeft" ? -1 : 1)));
      move(shown[at[1]], place);
      go(-1, place);
    } else if (isHead && (event.key === "Enter" || event.key === " ") && !event.target.closest("button")) {
      event.preventDefault();
      sort(shown[at[1]], event.shiftKey);
      go(-1, at[1]);
    } else if (event.key === "F2" || event.key === "/") {
      event.preventDefault();
      shown[at[1]]?.input.focus();
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "c") {
      event.preventDefault();
      copy();
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a") {
      event.preventDefault();
      [anchor, at] = [
        [0, 0],
        [rows.length - 1, shown.length - 1],
      ];
      select();
    } else if (ends(event) && !event.altKey) {
      event.preventDefault();
      go(...ends(event), event.shiftKey);
    }
  };
  grid.addEventListener("keydown", keydown);
  const placeOf = (target) => {
    const cell = target.closest?.("td");
    if (!cell || cell.parentNode.className === "space") return undefined;
    return [Number(cell.parentNode.getAttribute("aria-rowindex")) - 2, cell.cellIndex];
  };
  grid.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target);
    if (!place || event.button !== 0) return;
    at = place;
    if (!event.shiftKey) anchor = [...place];
    select();
  });
  grid.addEventListener("pointerover", (event) => {
    const place = event.buttons === 1 && event.pointerType === "mouse" ? placeOf(event.target) : undefined;
    if (!place) return;
    at = place;
    select();
  });
  headRow.addEventListener("focusin", ({ target }) => {
    const place = shown.findIndex(({ head }) => head.contains(target));
    if (place >= 0)
      [at, anchor] = [
        [-1, place],
        [-1, place],
      ];
  });

  /** One cell as it is; several as lines of a spreadsheet, in which no text is a formula. */
  const selected = () => {
    const [top, bottom, left, right] = selection();
    const chosen = shown.slice(left, right + 1);
    if (bottom < 0) return chosen.map(({ name }) => name).join("\t");
    if (top === bottom && left === right) return chosen[0].full(rows[top]);
    const cell = (text) => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const line = (row) =>
      chosen
        .map((column) =>
          column.isNull(row) ? "" : cell(column.kind === "text" ? guarded(column.full(row)) : column.full(row)),
        )
        .join("\t");
    return rows
      .slice(Math.max(0, top), bottom + 1)
      .map(line)
      .join("\n");
  };
  const copy = () => {
    if (rows.length === 0 || shown.length === 0) return;
    const text = selected();
    const give = (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      event.clipboardData.setData("text/plain", text);
    };
    document.addEventListener("copy", give, { capture: true, once: true });
    const isDone = document.execCommand("copy");
    document.removeEventListener("copy", give, { capture: true });
    const [top, bottom, left, right] = selection();
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
      shown.map(({ name }) => csvName(name)).join(),
      ...rows.map((row) => shown.map((column) => column.csv(row)).join()),
    ];
    const url = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
    make("a", { href: url, download: "table.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
    said.textContent = `${many(rows.length)} rows as CSV`;
  });
  let typing = 0;
  find("find").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      refresh();
      tell();
    }, 120);
  });
  choices();
  layOut();
  refresh();
  document.documentElement.className = "live";
})();
