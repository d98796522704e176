// Heads of a table's columns: name, type, what all its rows hold, and a filter. Bars and values filter when clicked.
import type { CellFilter } from "../live/arrange-rows.js";
import type { ColumnSummary } from "../live/embedded-column.js";
import { make, many } from "./elements.js";
import type { GridRows } from "./grid-rows.js";
import { edgeText, type TableColumn } from "./table-columns.js";

/** A column and what stands above it. */
export interface HeadedColumn extends TableColumn {
  readonly head: HTMLElement;
  /** How the table is sorted by it. */
  readonly mark: HTMLElement;
  /** Of its filter. */
  readonly input: HTMLInputElement;
}

/** A filter that was clicked. */
export interface PickedFilter {
  readonly key: string;
  readonly label: string;
  readonly filter: CellFilter;
}

/** A row, or -1 for the heads, and a column, by their places. */
export type CellPlace = readonly [row: number, column: number];

/** What the parts of a live table share. */
export interface LiveTable {
  readonly columns: readonly HeadedColumn[];
  /** Columns that are shown, in order. */
  shown: readonly HeadedColumn[];
  /** Columns that are not here. */
  readonly left: number;
  /** Those that pass all filters, in order. */
  rows: GridRows;
  /** The cell that has the focus, and where the selection began. */
  at: CellPlace;
  anchor: CellPlace;
  /** Filters by what was clicked; once more and it is gone. */
  click(column: HeadedColumn, picked?: PickedFilter): void;
  /** Filters by what was typed. */
  type(column: HeadedColumn, text: string): void;
  /** Upwards, then downwards, then as it came. With `isMore` behind what is sorted already. */
  sort(column: HeadedColumn, isMore: boolean): void;
  move(column: HeadedColumn, place: number): void;
  copy(): void;
}

/** The column with its head. */
export function withHead(plain: TableColumn, table: LiveTable): HeadedColumn {
  const mark = make("span", { className: "mark" });
  const name = make("div", { className: "name", draggable: true, title: plain.name }, plain.name || "\u00a0", mark);
  const input = make("input", {
    type: "text",
    tabIndex: -1,
    placeholder: "filter",
    title: plain.kind === "text" ? "A part of the text" : "A part of what is shown, or > >= < <= =",
    "aria-label": `Filter ${plain.name}`,
  });
  const head = make("th", { scope: "col", tabIndex: -1, className: plain.kind === "number" ? "number" : "" });
  const column = { ...plain, head, mark, input };
  let wait = 0;
  input.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => table.type(column, input.value), 120);
  });
  const filterButton: FilterButton = ({ key, label, filter }, properties, ...children) =>
    make(
      "button",
      {
        type: "button",
        tabIndex: -1,
        "aria-pressed": "false",
        "data-key": key,
        onclick: () => table.click(column, { key, label, filter }),
        ...properties,
      },
      ...children,
    );
  const type = plain.kind === "date" && plain.type === "date" ? "date, UTC" : plain.type;
  head.append(
    name,
    make("small", { className: "type" }, type),
    pictureOf(column, filterButton),
    rangeOf(column, filterButton),
    input,
  );
  head.style.width = `${plain.width}px`;
  head.addEventListener("click", ({ target, shiftKey }) => {
    if (!(target as Element).closest("input, button")) table.sort(column, shiftKey);
  });
  name.addEventListener("dragstart", ({ dataTransfer }) =>
    dataTransfer?.setData("text/plain", `column ${plain.index}`),
  );
  head.addEventListener("dragover", (event) => {
    event.preventDefault();
    head.classList.add("over");
  });
  head.addEventListener("dragleave", () => head.classList.remove("over"));
  head.addEventListener("drop", (event) => {
    event.preventDefault();
    head.classList.remove("over");
    const [, index] = /^column (\d+)$/.exec(event.dataTransfer?.getData("text/plain") ?? "") ?? [];
    const dragged = table.columns[Number(index)];
    if (dragged) table.move(dragged, table.shown.indexOf(column));
  });
  return column;
}

type FilterButton = (
  picked: PickedFilter,
  properties: Readonly<Record<string, unknown>>,
  ...children: readonly (Node | string)[]
) => HTMLButtonElement;

function pictureOf(column: TableColumn, filterButton: FilterButton): HTMLElement {
  const { kind, bars, top } = column.summary;
  if (bars && kind === column.kind) return barsOf(column, bars, filterButton);
  return top && column.kind === "text" ? topOf(column, top, filterButton) : make("div", { className: "bars" });
}

function barsOf(
  column: TableColumn,
  { first: firstBar, step, counts }: NonNullable<ColumnSummary["bars"]>,
  filterButton: FilterButton,
): HTMLElement {
  const { kind, rows } = column.summary;
  const most = Math.max(...counts);
  const isOne = kind === "number" && step === 1 && column.decimals === 0;
  const buttons = counts.map((count, bar) => {
    const first = firstBar + bar;
    const from = edgeText(column, first * step);
    const label = isOne ? `= ${from}` : `${from} – ${edgeText(column, (first + 1) * step)}`;
    const title = `${label}: ${many(count)} of ${many(rows)} rows`;
    const filled = make("i");
    filled.style.height = count === 0 ? "0" : `${Math.max(6, (100 * count) / most)}%`;
    const picked = { key: `bar ${bar}`, label, filter: { bar: [first, step] } } as const;
    return filterButton(picked, { title, "aria-label": title }, filled);
  });
  return make("div", { className: "bars" }, ...buttons);
}

function topOf(
  { summary: { rows, nulls } }: TableColumn,
  top: NonNullable<ColumnSummary["top"]>,
  filterButton: FilterButton,
): HTMLElement {
  let left = rows - nulls;
  const values: HTMLElement[] = top.map(([value, count]) => {
    left -= count;
    const shown = value || '""';
    const picked = { key: `value ${value}`, label: `= ${shown}`, filter: { value } };
    const button = filterButton(picked, { title: `${value}: ${many(count)} of ${many(rows)} rows` }, shown);
    button.style.flexGrow = String(count);
    return button;
  });
  if (left > 0) {
    const rest = make("span", { title: `others: ${many(left)}` });
    rest.style.flexGrow = String(left);
    values.push(rest);
  }
  return make("div", { className: "top" }, ...values);
}

/** Below the picture: a range or a count, and the share of nulls, which filters when clicked. */
function rangeOf(column: TableColumn, filterButton: FilterButton): HTMLElement {
  const { range, nulls, rows } = column.summary;
  const texts = range ? range.map((edge) => edgeText(column, edge)) : distinctText(column.summary);
  const parts: HTMLElement[] = texts.map((text) => make("span", {}, text));
  if (nulls > 0) {
    const percent = (100 * nulls) / rows;
    const share = percent < 1 ? "<1" : percent > 99 && percent < 100 ? ">99" : Math.round(percent);
    const title = `${many(nulls)} of ${many(rows)} rows`;
    const picked = { key: "null", label: "is null", filter: { isNull: true } } as const;
    parts.splice(1, 0, filterButton(picked, { title }, `${share}% null`));
  }
  return make("small", {}, ...parts);
}

function distinctText({ distinct, isMore, nulls, rows }: ColumnSummary): readonly string[] {
  if (distinct === undefined || rows === nulls) return [];
  if (isMore) return [`over ${many(distinct)} values`];
  if (distinct === 1) return ["1 value"];
  return [distinct === rows - nulls ? "all different" : `${many(distinct)} values`];
}
