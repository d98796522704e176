import { expect } from "vitest";
import type { Layer, LazyHistory, LazyHistoryOptions, Params, Snapshot } from "../../src/index.js";

/**
 * Opens questions. Returns undefined and expects an error if two columns of the layer have one key in upper and in lower
 * case.
 */
export async function openAsked(
  snapshot: Snapshot,
  params: Params<"layerFeatures">,
  options: LazyHistoryOptions,
): Promise<LazyHistory | undefined> {
  const { duplicateNames, optionLabels } = options;
  const layer = await snapshot.layer(params, {
    ...(duplicateNames === undefined ? {} : { duplicateNames }),
    ...(optionLabels === undefined ? {} : { optionLabels }),
  });
  const refusals = keyRefusals(layer);
  if (refusals.length === 0) return snapshot.lazyHistory(params, options);
  const refused: unknown = await snapshot.lazyHistory(params, options).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "ERR_ARGUMENT" });
  expect(refusals).toContain((refused as Error).message);
  return undefined;
}

/** The error messages for a layer: one for each pair of columns that share a key in either case. */
export function keyRefusals({ schema }: Layer): readonly string[] {
  return schema.flatMap(({ column, property_keys }, index) =>
    schema
      .slice(index + 1)
      .flatMap((other) =>
        property_keys
          .filter((key) => other.property_keys.some((second) => second.toLowerCase() === key.toLowerCase()))
          .map(
            (key) =>
              `The columns "${column}" and "${other.column}" have the property key ${key.toLowerCase()} in upper and lower case, which engines cannot distinguish.`,
          ),
      ),
  );
}
