// The panels of a table: the choice of columns, and the code for its rows.

import { find, make, makeButton, on } from "../page/elements.js";
import { toClipboard } from "../page/save-data.js";
import { arqueroCode } from "./arquero-code.js";
import { type HeadedColumn, type LiveTable, shownColumns } from "./live-table.js";
import { NOT_COPIED } from "./table-export.js";
import { moveColumn } from "./table-heads.js";
import type { AskedRows } from "./table-state.js";

/** Fills the list for choosing columns. */
export function listColumns(table: LiveTable): void {
  const shown = shownColumns(table);
  const hidden = table.columns.filter((column) => !shown.includes(column));
  const chooser = find("chooser");
  const lines = [...shown, ...hidden].map((column: HeadedColumn) => {
    const { index, name } = column;
    const position = shown.indexOf(column);
    const onchange = () => {
      const others = table.state.shown.filter((each) => each !== index);
      table.update({ shown: box.checked ? [...others, index] : others });
    };
    const box = make("input", { type: "checkbox", checked: position >= 0, "data-key": `${index}`, onchange });
    const step = (label: string, sign: string, by: number) =>
      makeButton(
        {
          title: label,
          "aria-label": `${name}: ${label}`,
          disabled: position < 0,
          "data-key": `${index} ${by}`,
          onclick: () => moveColumn(table, column, position + by),
        },
        sign,
      );
    const label = make("label", {}, box, name || "(index)");
    return make("div", {}, label, step("to the left", "↑", -1), step("to the right", "↓", 1));
  });
  const key = (document.activeElement as HTMLElement | null)?.dataset["key"];
  chooser.replaceChildren(...lines);
  for (const each of chooser.querySelectorAll<HTMLElement>("[data-key]")) if (each.dataset["key"] === key) each.focus();
}

/** Shows the code for the rows of a question. */
export function showCode(table: LiveTable, question: AskedRows): void {
  const { payload, columns, say } = table;
  if (payload.code === undefined) return;
  const isAll = payload.left === 0 && payload.columns === columns.length;
  const code = arqueroCode(payload.code, columns, shownColumns(table), question, isAll);
  const copied = () => say(toClipboard(code) ? "Copied the code" : NOT_COPIED, true);
  const button = makeButton({ onclick: copied }, "Copy code");
  find("coded").replaceChildren(make("pre", { tabIndex: 0 }, code), button);
}

/** A panel that a button opens, and Escape or a click elsewhere closes. */
export function openedBy(button: HTMLElement, panel: HTMLElement): void {
  const open = (isShown: boolean) => {
    panel.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
  };
  on(button, "click", () => open(panel.hidden === true));
  // Wherever the focus is: after a click, it is on the button.
  on(document, "keydown", ({ key }) => {
    if (key !== "Escape" || panel.hidden) return;
    open(false);
    button.focus();
  });
  on(document, "pointerdown", ({ target }) => {
    if (![panel, button].some((each) => each.contains(target as Node))) open(false);
  });
}
