import { expect } from "vitest";
import type { History, LazyHistory, LazyHistoryOptions, Params, Snapshot } from "../../src/index.js";

/**
 * Opens questions. Returns undefined and expects an error if two columns have one key in upper and in lower case.
 */
export async function openAsked(
  snapshot: Snapshot,
  params: Params<"layerFeatures">,
  options: LazyHistoryOptions,
): Promise<LazyHistory | undefined> {
  const refusals = keyRefusals(await snapshot.history(params, options));
  if (refusals.length === 0) return snapshot.lazyHistory(params, options);
  const refused: unknown = await snapshot.lazyHistory(params, options).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "ERR_ARGUMENT" });
  expect(refusals).toContain((refused as Error).message);
  return undefined;
}

/**
 * The error messages for the columns of a history, also those of deleted features: one for each pair of columns that
 * share a key in either case.
 */
export function keyRefusals(history: History): readonly string[] {
  const { schema } = history.layerAsOf(history.readAt);
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
