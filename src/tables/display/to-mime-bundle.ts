import { findingsOf } from "../../core/finding.js";
import { reasonOf } from "../../core/reason-of.js";
import { displaySymbol } from "./bundle/display-symbol.js";
import { elementBundle } from "./bundle/element-bundle.js";
import type { MimeBundle } from "./bundle/mime-bundle.js";
import { plainBundle } from "./bundle/plain-bundle.js";
import { renderError } from "./errors/render-error.js";
import { arqueroView } from "./html/arquero-view.js";
import { collectionBundle } from "./html/collection-bundle.js";
import { danfoView } from "./html/danfo-view.js";
import { withFindings } from "./html/render-findings.js";
import { geojsonBundle } from "./pictures/geojson-bundle.js";
import { tableBundle } from "./table-bundle.js";
import { inspectValue } from "./text/inspect-value.js";
import { withViewType } from "./with-view-type.js";

/**
 * Any value as a MIME bundle, which always has `text/plain`.
 *
 * An object with a method `[Symbol.for("Jupyter.display")]` shows itself; Arquero tables and Danfo frames
 * show as tables, DOM elements as HTML and SVG, GeoJSON as a map, long maps, sets and typed arrays as tables, errors with
 * their causes, everything else as text.
 *
 * @returns a promise only if the value's own method returns one, so that a busy notebook cell can show values at once.
 *   A method that fails, or gives what cannot be stored, does not fail the display: the bundle says what went wrong.
 */
export function toMimeBundle(value: unknown): MimeBundle | Promise<MimeBundle> {
  try {
    const own = ownBundle(value);
    if (own instanceof Promise) {
      return own.then((bundle) => finished(bundle, value)).catch((error: unknown) => failedBundle(error, value));
    }
    return finished(own, value);
  } catch (error) {
    return failedBundle(error, value);
  }
}

function ownBundle(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const show: unknown = Reflect.get(value, displaySymbol);
  return typeof show === "function" ? show.call(value) : undefined;
}

function knownBundle(value: unknown): MimeBundle {
  const table = arqueroView(value) ?? danfoView(value);
  if (table) return withFindings(tableBundle(table), findingsOf(value), table.rowCount);
  if (value instanceof Error) return renderError(value);
  const rich = elementBundle(value) ?? geojsonBundle(value, tableBundle) ?? collectionBundle(value, tableBundle);
  return rich ?? { "text/plain": inspectValue(value) };
}

function finished(own: unknown, value: unknown): MimeBundle {
  const bundle = withViewType(plainBundle(own ?? knownBundle(value)));
  return "text/plain" in bundle ? bundle : { ...bundle, "text/plain": inspectValue(value) };
}

function failedBundle(error: unknown, value: unknown): MimeBundle {
  return { "text/plain": `[could not show itself: ${reasonOf(error)}]\n${inspectValue(value)}` };
}
