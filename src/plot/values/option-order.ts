import { History } from "../../history/history.js";
import { Layer } from "../../layer/layer.js";
import { optionList } from "../../layer/option-labels.js";
import { valueLabel } from "./value-label.js";

/**
 * Labels of the choices that the definitions of a column offer, in their order: each by its code or by its label,
 * whichever the data have.
 *
 * @param data a history or layer; of other tables nothing is known
 * @param found labels that the data have
 */
export function optionOrder(data: unknown, column: string, found: ReadonlySet<string>): readonly string[] {
  const options = definitionsOf(data, column).flatMap(optionList);
  const areLabels = options.some(({ label }) => label !== undefined && found.has(label));
  const labels = options.flatMap(({ code, label = String(code) }) => {
    const own = valueLabel(code);
    // Codes that the definition gave no label for stay as they are among labels.
    return found.has(own) && !found.has(label) ? [own] : [areLabels ? label : own];
  });
  return [...new Set(labels)];
}

function definitionsOf(data: unknown, column: string) {
  if (data instanceof History) return data.definitions(column);
  return data instanceof Layer ? (data.schema.find((entry) => entry.column === column)?.definitions ?? []) : [];
}
