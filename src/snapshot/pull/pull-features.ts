import type { Progress } from "../../client/ask/read-options.js";
import { orderedLookahead } from "../../client/sweep/ordered-lookahead.js";
import { schemaOf } from "../format/table-schema.js";
import { FeatureParts } from "./feature-parts.js";
import type { PullStep } from "./journal.js";
import type { PullContext } from "./pull-context.js";

/**
 * An edit can reach the log after the feature: features edited in the last hour before the last pull are asked for
 * their log again.
 */
const SETTLE_MS = 3_600_000;

/** Counts the features of sites: from the state before, or by asking, so that the whole pull can be estimated. */
export async function countFeatures(context: PullContext, sites: readonly (number | null)[]): Promise<void> {
  const { previous, feed, estimate, concurrency, journal } = context;
  const known = previous?.files.filter(({ resource }) => resource === "layerFeatures");
  const count = async (site: number | null) => {
    if (known) return known.filter((file) => file.site_id === site).reduce((sum, { rows }) => sum + rows, 0);
    const done = journal.steps.find(({ step }) => step === stepOf(site));
    return done ? done.files.reduce((sum, { rows }) => sum + rows, 0) : feed.count(site);
  };
  const counts = orderedLookahead(sites, { tasks: concurrency }, async (site) => ({ site, total: await count(site) }));
  for await (const { site, total } of counts) if (total !== undefined) estimate.expectFeatures(site, total);
}

function stepOf(site: number | null): string {
  return `${schemaOf("layerFeatures").name}/${site}`;
}

/** Since when features may have been edited after their log was read, microseconds since 1970. */
function settledUs({ previous, journal }: PullContext): number {
  const readMs = Date.parse(previous?.read_at ?? "");
  // A state of the future was read by a clock that was wrong, and says nothing of when features were edited.
  return readMs <= Date.parse(journal.header.started_at) ? (readMs - SETTLE_MS) * 1000 : Number.MIN_SAFE_INTEGER;
}

/** Reads the layer features of one site; null for those without one. */
export async function pullFeatures(context: PullContext, site: number | null): Promise<PullStep> {
  const { journal, now, signal, estimate } = context;
  const step = stepOf(site);
  const done = await journal.step(step, async () => {
    estimate.startFeatures();
    const from = now().toISOString();
    const parts = await FeatureParts.open(context, site, settledUs(context));
    const started = performance.now();
    const onProgress = ({ rows, total }: Progress) => {
      estimate.tookFeatures(site, rows, total);
      const remainingMs = total && rows > 0 ? ((performance.now() - started) / rows) * (total - rows) : undefined;
      context.report({ stage: `layer_features of site ${site ?? "none"}`, rows, total, remainingMs });
    };
    for await (const batch of context.feed.rows("layerFeatures", new Map([["site_id", [site]]]), onProgress)) {
      signal?.throwIfAborted();
      await parts.add(batch);
    }
    return { step, from, to: now().toISOString(), ...(await parts.finish()) };
  });
  estimate.endFeatures(site);
  return done;
}
