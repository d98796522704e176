import { propertyType } from "../../../../layer/property-type.js";
import { definitionKind } from "../../../../tables/types/definition-kind.js";
import type { ValueKind } from "../../sql/cell-values.js";
import type { QuestionData } from "../ask/question-data.js";

/**
 * What columns are by their definitions, where these say more than that they are texts: other values are null then. Ids of
 * other features are integers as long as every one stands alone.
 *
 * @param seen what their values are, by place
 */
export function declaredKinds(
  { columns, scope }: QuestionData,
  seen: readonly (ValueKind | undefined)[],
): readonly (ValueKind | undefined)[] {
  const labelled = new Set(scope.labels.map(({ key }) => key));
  return columns.map((column, place) => {
    const kind = seen[place];
    const isLabelled = scope.columns[place]?.keys.some((key) => labelled.has(key));
    const declared = isLabelled ? undefined : definitionKind(propertyType(column).type);
    if (kind === undefined || !declared || declared.one === "text") return kind;
    return declared.many && kind !== "number" ? kind : declared.one;
  });
}
