import { table } from "arquero";
import { cumulativeFlow, layerMap, mapAnimation, mapPanels, Plot, plot } from "../../../src/plot/index.js";
import { html } from "../../../src/tables/display/markup-tags.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { plottedHistory } from "../../plot/plotted-history.js";

/** An output of each kind that has a frame. */
export interface NamedBundle {
  readonly kind: string;
  readonly bundle: Readonly<Record<string, unknown>>;
}

/** Returns an output of each kind that has a frame, with markup in its strings. */
export async function everyView(): Promise<readonly NamedBundle[]> {
  const history = await plottedHistory();
  const dates = ["2024-03-05", "2024-03-10", "2024-03-30"];
  const name = `<img src=x onerror="alert('x')">`;
  const bars = Plot.barY([{ site: name, tickets: 12 }], { x: "site", y: "tickets", fill: "site" });
  const rows = Array.from({ length: 200 }, (_, n) => n);
  const values: Readonly<Record<string, unknown>> = {
    "a chart": plot({ title: name, marks: [bars] }),
    "a chart of a history": cumulativeFlow(history, "STATUS", { dates }),
    "a map": layerMap(history, "STATUS"),
    "maps at dates": mapPanels(history, "STATUS", { dates }),
    "a time map": mapAnimation(history, "STATUS", { dates, title: name }),
    "a table": table({ n: rows, [name]: rows.map((n) => `${name} ${n}`) }),
    "HTML of a cell with a map in it": html`<h3>Of a cell</h3>${mapAnimation(history, "STATUS", { dates })}`,
  };
  const named = Object.entries(values).map(async ([kind, value]) => ({ kind, bundle: await toMimeBundle(value) }));
  return Promise.all(named);
}
