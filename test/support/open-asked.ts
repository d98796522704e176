import { expect } from "vitest";
import type { Layer, Params, Questions, QuestionsOptions, Snapshot } from "../../src/index.js";

/**
 * Opens questions, or expects their refusal: undefined where the layer has one key in upper and in lower case in two
 * columns, which questions say in these words, and nowhere else.
 */
export async function openAsked(
  snapshot: Snapshot,
  params: Params<"layerFeatures">,
  options: QuestionsOptions,
): Promise<Questions | undefined> {
  const { duplicateNames, optionLabels } = options;
  const layer = await snapshot.layer(params, {
    ...(duplicateNames === undefined ? {} : { duplicateNames }),
    ...(optionLabels === undefined ? {} : { optionLabels }),
  });
  const refusals = keyRefusals(layer);
  if (refusals.length === 0) return snapshot.questions(params, options);
  const refused: unknown = await snapshot.questions(params, options).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "ERR_ARGUMENT" });
  expect(refusals).toContain((refused as Error).message);
  return undefined;
}

/** The refusals that a layer is reason for: one for each two columns that have a key in common in either case. */
export function keyRefusals({ schema }: Layer): readonly string[] {
  return schema.flatMap(({ column, property_keys }, index) =>
    schema
      .slice(index + 1)
      .flatMap((other) =>
        property_keys
          .filter((key) => other.property_keys.some((second) => second.toLowerCase() === key.toLowerCase()))
          .map(
            (key) =>
              `Features have the property key ${key.toLowerCase()} in upper and in lower case, in the columns "${column}" and "${other.column}", which engines do not tell apart.`,
          ),
      ),
  );
}
