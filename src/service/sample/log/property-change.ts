import type { PropertyChange } from "../../../api/resources.js";
import { instantText } from "../base/instant.js";
import { changeId } from "./change-id.js";
import type { Edit } from "./edit.js";

/** An edit as the record of the log. */
export function propertyChange(edit: Edit): PropertyChange {
  return {
    id: changeId(edit),
    layer_feature_id: edit.featureId,
    property_key: edit.key,
    new_value: edit.value,
    system: edit.userId === null,
    user_id: edit.userId,
    caused_by_change_id: edit.cause === null ? null : changeId(edit.cause),
    created_at: instantText(edit.at),
  };
}
