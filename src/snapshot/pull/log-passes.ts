import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { PullStep } from "./journal.js";
import { AUDIT_EVERY, LOG_FEATURES } from "./log-limits.js";
import { planLog } from "./log-plan.js";
import { type PullContext, pathOf } from "./pull-context.js";
import { pullLog } from "./pull-log.js";
import type { SettledFeatures } from "./settle-features.js";
import { parquet } from "./work-tables.js";

/** What the reading of the log brought. */
export interface LogResult {
  readonly steps: readonly PullStep[];
  /** False if features that look untouched had edits. */
  readonly editsTouchFeatures: boolean;
}

/**
 * Brings the log up to date.
 *
 * The API tells what is new only of some features a request. Every edit is expected to touch its feature (`updated_at`,
 * or the value itself), so only features that are new, changed, returned or were edited shortly before the last pull
 * are asked for. The expectation is audited: in each pull another share of the untouched features is asked for, too.
 * If one of them has an edit from before the pull, all are asked for, in this pull and the next.
 *
 * @param all whether all features are asked for, whatever they look like
 */
export async function pullLogPasses(context: PullContext, features: SettledFeatures, all: boolean): Promise<LogResult> {
  const { previous } = context;
  if (!previous) {
    const plan = await planLog(context, features.files, undefined);
    return { steps: await pullLog(context, "log", plan), editsTouchFeatures: true };
  }
  const touched = [...features.added, ...features.changed, ...features.returned, ...features.settling];
  const steps = [...(await pass(context, features.files, "log", touched))];
  const untouched = await untouchedIds(context, features.files, touched);
  const audited =
    all || previous.edits_touch_features === false ? untouched : auditShare(untouched, previous.generation);
  const audit = await pass(context, features.files, "audit", audited);
  steps.push(...audit);
  const editsTouchFeatures = !hasEarlyRows(audit);
  if (!editsTouchFeatures && audited.length < untouched.length) {
    const known = new Set(audited);
    const rest = untouched.filter((id) => !known.has(id));
    steps.push(...(await pass(context, features.files, "rest", rest)));
  }
  return { steps, editsTouchFeatures };
}

async function pass(
  context: PullContext,
  files: readonly SnapshotFile[],
  name: string,
  ids: readonly number[],
): Promise<readonly PullStep[]> {
  return ids.length === 0 ? [] : pullLog(context, name, await planLog(context, files, ids));
}

async function untouchedIds(
  context: PullContext,
  files: readonly SnapshotFile[],
  touched: readonly number[],
): Promise<readonly number[]> {
  const paths = files.map((file) => pathOf(context, file));
  const ids = await context.tables.numbers(
    `SELECT id FROM ${parquet(schemaOf("layerFeatures"), paths)} ORDER BY site_id NULLS LAST, id`,
  );
  const skipped = new Set(touched);
  return ids.filter((id) => !skipped.has(id));
}

/** Another share in each state, so that after AUDIT_EVERY pulls every feature was asked for. */
function auditShare(ids: readonly number[], generation: number): readonly number[] {
  const every = Math.min(AUDIT_EVERY, Math.max(1, Math.ceil(ids.length / LOG_FEATURES)));
  return ids.filter((_, index) => Math.floor(index / LOG_FEATURES) % every === generation % every);
}

function hasEarlyRows(steps: readonly PullStep[]): boolean {
  return steps.some(({ earlyRows = 0 }) => earlyRows > 0);
}
