import type { LayerInput } from "../../layer/layer-data.js";
import { decodeValue, optionLabels } from "../../layer/option-labels.js";
import { keyResolver } from "../../layer/property-key.js";
import { type ChangeLog, narrowCodes } from "./change-log.js";
import { ValueDictionary } from "./value-dictionary.js";

/** The log with OPTION codes replaced by their labels, as the layer's `optionLabels` asks; values of one label are one. */
export function labelValues(log: ChangeLog, { definitions, options }: LayerInput): ChangeLog {
  if (!options.optionLabels) return log;
  const resolve = keyResolver(definitions);
  const unlabelled = new Map<number, number>();
  const labelsOfKey = log.keys.map((key) => {
    const { definition } = resolve(key);
    return definition && optionLabels(definition);
  });
  const values = new ValueDictionary([null]);
  // One value can have a label in each of several properties, so there can be more values than before.
  const codeOf = labelsOfKey.map((labels) => (labels ? new Map<number, number>() : unlabelled));
  const labelled = Int32Array.from(log.valueCodes, (code, change) => {
    const key = log.keyCodes[change] ?? 0;
    const known = codeOf[key]?.get(code);
    if (known !== undefined) return known;
    const labels = labelsOfKey[key];
    const value = log.values[code];
    const found = values.code(labels ? decodeValue(value, labels) : value);
    codeOf[key]?.set(code, found);
    return found;
  });
  return { ...log, valueCodes: narrowCodes(labelled, values.values.length), values: values.values };
}
