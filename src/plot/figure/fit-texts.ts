import type { DomElement } from "./dom-element.js";

/** As in the figure's image. On the elements: notebooks' own style makes headings as large as those of a document. */
const styles: Readonly<Record<string, string>> = {
  h2: "font:700 16px/1.3 system-ui,sans-serif;margin:8px 0 5px",
  h3: "font:400 13px/1.3 system-ui,sans-serif;margin:0 0 7px;opacity:.75",
  figcaption: "font:400 11.5px/1.3 system-ui,sans-serif;margin:3px 0 6px;opacity:.75",
};

/** Gives the texts around a chart their sizes, whatever page the figure is put in. */
export function fitTexts(figure: DomElement): void {
  for (const part of figure.children) {
    const style = styles[part.tagName.toLowerCase()];
    if (style !== undefined) part.setAttribute("style", style);
  }
}
