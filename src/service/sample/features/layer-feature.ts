import type { LayerFeature } from "../../../api/resources.js";
import { instantText } from "../base/instant.js";
import { COMPANY_ID } from "../company/sites.js";
import type { Edit } from "../log/edit.js";
import type { FeatureDraft } from "./feature-set.js";

/** The feature as it is now: its draft with its edits applied in valid order. */
export function layerFeature(id: number, draft: FeatureDraft, edits: readonly Edit[]): LayerFeature {
  const properties: Record<string, unknown> = { ...draft.unlogged };
  let updatedAt = draft.createdAt;
  for (const edit of edits.toSorted(byValidTime)) {
    properties[edit.key] = edit.value;
    updatedAt = Math.max(updatedAt, edit.insertedAt);
  }
  const { dataset } = draft;
  return {
    id,
    visible_id: draft.visible_id,
    properties: { ...properties, ...draft.contradicting },
    geometry: draft.geometry,
    dataset_id: dataset.id,
    site_id: dataset.site_id,
    operation_id: dataset.operation_id,
    company_id: COMPANY_ID,
    semantic_type: dataset.semantic_type,
    description: draft.description,
    created_at: instantText(draft.createdAt),
    updated_at: instantText(updatedAt),
  };
}

/** `created_at`, then `id`: within one feature, ids follow insertion and then sequence. */
function byValidTime(a: Edit, b: Edit): number {
  return a.at - b.at || a.insertedAt - b.insertedAt || a.sequence - b.sequence;
}
