import { arqueroView } from "./arquero-view.js";
import { collectionBundle } from "./collection-bundle.js";
import { danfoView } from "./danfo-view.js";
import { displaySymbol } from "./display-symbol.js";
import { elementBundle } from "./element-bundle.js";
import { geojsonBundle } from "./geojson-bundle.js";
import { inspectValue } from "./inspect-value.js";
import type { MimeBundle } from "./mime-bundle.js";
import { renderError } from "./render-error.js";
import { renderTable } from "./render-table.js";

/**
 * Any value as a MIME bundle, which always has `text/plain`.
 *
 * An object with a method `[Symbol.for("Jupyter.display")]` shows itself; Arquero tables and Danfo frames
 * show as tables, DOM elements as HTML and SVG, GeoJSON as a map, long maps, sets and typed arrays as tables, errors with
 * their causes, everything else as text.
 *
 * @returns a promise only if the value's own method returns one, so that a busy cell can show values at once.
 *   A method that fails does not fail the display: the bundle says what went wrong.
 */
export function toMimeBundle(value: unknown): MimeBundle | Promise<MimeBundle> {
  try {
    const own = ownBundle(value);
    if (own instanceof Promise) {
      return own.then(
        (bundle) => withPlainText(bundle, value),
        (error: unknown) => failedBundle(error, value),
      );
    }
    return own ? withPlainText(own, value) : knownBundle(value);
  } catch (error) {
    return failedBundle(error, value);
  }
}

function ownBundle(value: unknown): MimeBundle | Promise<MimeBundle> | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const show: unknown = Reflect.get(value, displaySymbol);
  return typeof show === "function" ? show.call(value) : undefined;
}

function knownBundle(value: unknown): MimeBundle {
  const table = arqueroView(value) ?? danfoView(value);
  if (table) return renderTable(table);
  if (value instanceof Error) return renderError(value);
  const rich = elementBundle(value) ?? geojsonBundle(value) ?? collectionBundle(value);
  return rich ?? { "text/plain": inspectValue(value) };
}

function withPlainText(bundle: MimeBundle, value: unknown): MimeBundle {
  return "text/plain" in bundle ? bundle : { ...bundle, "text/plain": inspectValue(value) };
}

function failedBundle(error: unknown, value: unknown): MimeBundle {
  const reason = error instanceof Error ? error.message : String(error);
  return { "text/plain": `[could not show itself: ${reason}]\n${inspectValue(value)}` };
}
