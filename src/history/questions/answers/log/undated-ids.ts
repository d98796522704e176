import { refuseUndated } from "../../../log/refuse-undated.js";
import { MOST_IDS } from "../../../log/time-findings.js";
import type { Engine } from "../../engine/engine.js";
import { undatedRows } from "../../sql/log-statements.js";
import type { Scope } from "../../sql/scope.js";
import { askAll } from "../ask/ask.js";

/**
 * The ids of the changes that name no time that exists, as many as a finding lists.
 *
 * @param strict whether there may be none
 * @throws ProtocolError naming the first one, if strict
 */
export async function undatedIds(
  engine: Engine,
  scope: Scope,
  strict: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { columns } of askAll({ engine, scope }, (asked) => undatedRows(asked, MOST_IDS), signal)) {
    for (const id of Array.from(columns[0] ?? [])) ids.push(String(id));
  }
  if (strict) refuseUndated(ids, undefined);
  return ids;
}
