import { ProtocolError } from "../../core/errors.js";

/**
 * Throws if there are changes that name no time that exists.
 *
 * @param ids of theirs
 * @param place of the first among all changes
 */
export function refuseUndated([id]: readonly string[], place: number | undefined): void {
  if (id === undefined) return;
  throw new ProtocolError(
    `Property change ${id} has a created_at that names no time that exists.`,
    place === undefined ? "$.data[].created_at" : `$.data[${place}].created_at`,
    { hint: "With strict: false, such changes are left out and counted in a finding.", facts: { change_id: id } },
  );
}
