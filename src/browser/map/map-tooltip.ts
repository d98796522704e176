// The description of a feature, next to it.

import { isWebAddress } from "../../core/url-checks.js";
import type { MapPayload } from "../../tables/display/live/map-payload.js";
import { boxOf, find, make, many } from "../page/elements.js";
import { placeTooltip, tooltipLine } from "../page/tooltip.js";
import type { mapValues } from "./map-values.js";
import type { MapView, ViewedPane } from "./map-view.js";

export interface MapTooltip {
  /** Shows the description of a row of a pane; hides it for a row below 0. */
  show(pane: ViewedPane, row: number, x: number, y: number, isSaid?: boolean, from?: number): void;
  hide(): void;
  pin(isPinned: boolean): void;
  unpin(): void;
  /** Moves the tooltip to the current position of its target. */
  place(): void;
}

interface TooltipOptions {
  readonly values: ReturnType<typeof mapValues>;
  /** The visible rows of a pane at the place of a row. */
  rowsAt(pane: ViewedPane, row: number): readonly number[];
  /** Draws the marks of the view. */
  mark(): void;
}

export function mapTooltip(
  map: MapView,
  { names, columns, colours, links }: MapPayload,
  { values, rowsAt, mark }: TooltipOptions,
): MapTooltip {
  const [tip, said] = [find("tip"), find("said")];
  const hide = () => {
    map.at = undefined;
    tip.hidden = true;
    mark();
  };
  const pin = (isPinned: boolean) => {
    map.isPinned = isPinned;
    tip.classList.toggle("pinned", isPinned);
  };
  const place = () => {
    const { at, zoom, left, top, width, height, fit } = map;
    if (!at) return;
    const [x, y] = [at.x * zoom + left, at.y * zoom + top];
    tip.style.visibility = x < 0 || y < 0 || x > width || y > height ? "hidden" : "";
    const box = boxOf(at.pane.canvas);
    placeTooltip(tip, box.left + x * fit, box.top + y * fit, box.left + (at.left * zoom + left) * fit);
  };
  const linkOf = (row: number) => {
    const href = links?.[row];
    // The data may come from any author.
    if (href === undefined || !isWebAddress(href)) return [];
    const attributes = { href, target: "_blank", rel: "noopener noreferrer", "aria-label": `Open ${names[row]}` };
    return [make("a", attributes, "Open")];
  };
  const show: MapTooltip["show"] = (pane, row, x, y, isSaid = false, from = x) => {
    if (row < 0) return hide();
    map.at = { pane, row, x, y, left: from };
    mark();
    const texts = columns.map(({ label }, column) => ({ label, text: values.textOf(pane.state, column, row) }));
    const title = pane.shownDay ? `${names[row]}, ${pane.shownDay}` : (names[row] as string);
    const colour = colours[(pane.state.labels[row] as number) - 1];
    const lines = texts.map(({ label, text }, column) =>
      tooltipLine(label, text, column === values.drawn ? colour : undefined),
    );
    const rows = rowsAt(pane, row);
    const here = rows.length > 1 ? [`${many(rows.indexOf(row) + 1)} of ${many(rows.length)} here`] : [];
    const counts = here.map((text) => make("div", {}, text));
    tip.replaceChildren(make("b", {}, title), make("table", {}, ...lines), ...counts, ...linkOf(row));
    tip.hidden = false;
    place();
    if (isSaid) said.textContent = [title, ...texts.map(({ label, text }) => `${label} ${text}`), ...here].join(", ");
  };
  return {
    ...{ show, hide, pin, place },
    unpin: () => {
      pin(false);
      hide();
    },
  };
}
