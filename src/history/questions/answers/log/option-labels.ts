import { canonicalJson } from "../../../../core/json/json.js";
import type { LayerInput } from "../../../../layer/layer-data.js";
import { decodeValue, optionLabels } from "../../../../layer/option-labels.js";
import { canonicalKey, keyResolver } from "../../../../layer/property-key.js";
import type { Engine } from "../../engine/engine.js";
import { loggedArrays } from "../../sql/log-statements.js";
import type { Scope, ScopeLabel } from "../../sql/scope.js";
import { askAll } from "../ask/ask.js";

/**
 * What the values of OPTION properties are replaced with, as the layer's `optionLabels` asks. Codes may stand in arrays:
 * those that there are are looked up.
 *
 * @param keys of the log and of features, canonical
 */
export async function scopeLabels(
  engine: Engine,
  scope: Scope,
  input: LayerInput,
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly ScopeLabel[]> {
  if (!input.options.optionLabels) return [];
  const resolve = keyResolver(input.definitions);
  const labelled = keys.flatMap((key) => {
    const { definition } = resolve(key);
    const labels = definition && optionLabels(definition);
    return labels ? [{ key, labels }] : [];
  });
  if (labelled.length === 0) return [];
  const own = labelled.map(({ key }) => key);
  const arrays = new Set(presentArrays(input, own));
  for await (const { columns } of askAll({ engine, scope }, (asked) => loggedArrays(asked, own), signal)) {
    for (const text of Array.from(columns[0] ?? [])) arrays.add(String(text));
  }
  return labelled.flatMap(({ key, labels }) => {
    const values = [...labels.keys(), ...[...arrays].map((text): unknown => JSON.parse(text))];
    return values.flatMap((value) => {
      const [code, label] = [canonicalJson(value), canonicalJson(decodeValue(value, labels))];
      return code === label ? [] : [{ key, value: code, label }];
    });
  });
}

/** The arrays that features have under some keys, as canonical JSON texts. */
function presentArrays({ features }: LayerInput, keys: readonly string[]): readonly string[] {
  const wanted = new Set(keys);
  return [...features.properties].flatMap(([key, column]) => {
    if (!wanted.has(canonicalKey(key))) return [];
    return Array.from(column).flatMap((value) => (Array.isArray(value) ? [canonicalJson(value)] : []));
  });
}
