import { createHash } from "node:crypto";
import { type ColumnTable, escape as rowTest } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { Layer } from "../../layer/layer.js";
import { liveKernel } from "../../tables/display/live-kernel.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { type Shown, tableView } from "../../tables/display/show.js";
import { tableBundle } from "../../tables/display/table-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import { toMimeBundle } from "../../tables/display/to-mime-bundle.js";
import { linkFrames } from "../../tables/display/view.js";
import { type Control, createControl } from "./controls/control.js";

/** The selection of linked views. */
export interface Selection {
  /** Ids of the selected features, in the table's order. */
  readonly ids: readonly unknown[];
  /** Rows of the selected features. */
  readonly table: ColumnTable;
}

/** Views with a common selection. */
export interface LinkedViews<Name extends string> extends Selection {
  /** Each view, to be displayed in a separate cell: views of one call are linked anywhere in a notebook. */
  readonly views: Readonly<Record<Name, Shown>>;
  /** All views side by side and below each other, as the width of the page permits. */
  [displaySymbol](): Promise<MimeBundle>;
}

/** Maximum rows of the table in its output, from which selections are made. */
const MOST_ROWS = 20_000;

/**
 * Returns views with a common selection: the selection in a map, a chart or the table is shown in all others, in every
 * page that contains them, without a kernel. A click in a chart selects the features with its values, by the columns of
 * the table that have the names of its channels; a click in the table selects rows.
 *
 * In JupyterLab with Siteframe's extension, and if `run` is given, the selection is available as `ids` and `table`. The
 * function is run with it, as for a `slider()`, and its result is shown below the views; for this the page needs pip's
 * anywidget.
 *
 * @param views `table`, a layer or a table with the column `id`, of which the first 20,000 rows can be selected; and figures
 * with names of your choice
 * @param run called with the selection, at first an empty one
 * @returns the views; end the cell with them to display them
 * @throws ArgumentError without a table, for a table without the column `id`, and for a view that is not a figure
 * @example
 * linkViews({ map: layerMap(tickets, "STATUS"), table: tickets })
 */
export function linkViews<Name extends string>(
  views: Readonly<Record<Name, object>> & { readonly table: object },
  run?: (selection: Selection) => unknown,
): LinkedViews<Name | "table"> {
  const { table: data, ...figures } = views as Readonly<Record<string, object>>;
  const table = data instanceof Layer ? data.table : data;
  if (!isTable(table)) {
    throw new ArgumentError(`linkViews(): table must be a layer or an Arquero table, got ${showValue(data)}.`, {
      hint: "For example: linkViews({ map: layerMap(layer), table: layer }).",
      facts: { option: "table" },
    });
  }
  if (!table.columnNames().includes("id")) {
    throw new ArgumentError(`linkViews(): the table has no column "id". Columns: ${table.columnNames().join(", ")}.`, {
      hint: "Add a column id with the ids of the features.",
      facts: { option: "table" },
    });
  }
  for (const [name, figure] of Object.entries(figures)) {
    if (typeof Object(figure)[displaySymbol] === "function") continue;
    throw new ArgumentError(`linkViews(): ${name} must be a figure, got ${showValue(figure)}.`, {
      hint: "Pass the result of layerMap(), plot() or another chart of siteframe/plot.",
      facts: { option: name },
    });
  }
  const rows = Math.max(1, Math.min(MOST_ROWS, table.numRows()));
  // Rows are selected in a short table too.
  const displayed = { [displaySymbol]: () => tableBundle(tableView(data as object), { rows, isLive: true }) };
  return new OpenViews({ ...figures, table: displayed }, table, run) as LinkedViews<Name | "table">;
}

function isTable(value: unknown): value is ColumnTable {
  const { columnNames, numRows } = Object(value) as Partial<ColumnTable>;
  return typeof columnNames === "function" && typeof numRows === "function";
}

class OpenViews implements LinkedViews<string> {
  readonly views: Readonly<Record<string, Shown>>;
  readonly #all: ColumnTable;
  readonly #control: Control<Selection> | undefined;
  /** The HTML of the views, which are drawn once. */
  #drawn: Promise<ReadonlyMap<string, MimeBundle>> | undefined;
  #selected: Selection;

  constructor(
    views: Readonly<Record<string, object>>,
    table: ColumnTable,
    run: ((selection: Selection) => unknown) | undefined,
  ) {
    this.#all = table;
    this.#selected = this.#selectionOf([]);
    this.views = Object.fromEntries(
      Object.keys(views).map((name) => [
        name,
        { [displaySymbol]: async () => (await this.#draw(views)).get(name) as MimeBundle } as unknown as Shown,
      ]),
    );
    if (run === undefined) return;
    this.#control = createControl<Selection>(
      {
        call: "linkViews()",
        label: "",
        start: "[]",
        state: { kind: "linked" },
        head: () => this.#html(),
        valueAt: (at) =>
          typeof at === "string" ? { value: this.#selectionOf(JSON.parse(at) as unknown[]) } : undefined,
        placeOf: ({ ids }) => JSON.stringify(ids.map(String)),
        textOf: ({ ids }) => `${ids.length} selected`,
        // The views above the fallback still accept selections.
        fallbackOf: ({ ids }) =>
          `With ${ids.length || "nothing"} selected when the page was saved; not updated by the views above`,
      },
      run,
    );
  }

  get ids(): readonly unknown[] {
    return this.#selected.ids;
  }

  get table(): ColumnTable {
    return this.#selected.table;
  }

  async [displaySymbol](): Promise<MimeBundle> {
    if (this.#control) return this.#control[displaySymbol]();
    const bundles = await Promise.all(Object.values(this.views).map((view) => view[displaySymbol]()));
    const text = bundles.map((bundle) => bundle["text/plain"]).join("\n\n");
    return { "text/plain": text, "text/html": await this.#html() };
  }

  async #html(): Promise<string> {
    const cells = Object.values(this.views).map(
      async (view) =>
        `<div style="break-inside:avoid;margin:0 0 12px">${(await view[displaySymbol]())["text/html"]}</div>`,
    );
    const drawn = await Promise.all(cells);
    // The first view, usually a map, is at the left of the others if there is room, so that an effect of a click is seen.
    const [first, ...others] = drawn;
    const columns = others.length === 0 ? [[first]] : [[first], others];
    const grid = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:0 16px";
    const column = (each: readonly (string | undefined)[]) => `<div style="min-width:0">${each.join("")}</div>`;
    return `<div style="${grid}">${columns.map(column).join("")}</div>`;
  }

  /** The views with their frames linked. Other pages cannot guess the key. */
  #draw(views: Readonly<Record<string, object>>): Promise<ReadonlyMap<string, MimeBundle>> {
    this.#drawn ??= (async () => {
      const name = liveKernel()?.tables?.keep(this, "selection", (question) => this.#take(question));
      const bundles = await Promise.all(Object.values(views).map((view) => toMimeBundle(view)));
      const hash = createHash("sha256").update(JSON.stringify(bundles)).digest();
      const link = {
        group: hash.subarray(0, 16).toString("hex"),
        key: hash.subarray(16).toString("base64"),
        ...(name === undefined ? {} : { table: name }),
      };
      return new Map(
        Object.keys(views).map((view, index) => {
          const bundle = bundles[index] as MimeBundle;
          const html = bundle["text/html"] ?? `<pre>${escapeHtml(String(bundle["text/plain"]))}</pre>`;
          return [view, { ...bundle, "text/html": linkFrames(String(html), link) }];
        }),
      );
    })();
    return this.#drawn;
  }

  /** Applies the selection in a page. It comes from an output, which is untrusted. */
  #take(question: unknown): object {
    const { ids }: Readonly<Record<string, unknown>> = Object(question);
    if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
      throw new ArgumentError("The selection must be a list of ids.");
    }
    this.#selected = this.#selectionOf(ids);
    void this.#control?.set(this.#selected);
    return {};
  }

  #selectionOf(texts: readonly unknown[]): Selection {
    const ids = new Set(texts.map(String));
    const table = this.#all.filter(rowTest((row: { readonly id: unknown }) => ids.has(String(row.id))));
    return { ids: table.array("id") as unknown[], table };
  }
}
