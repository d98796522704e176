import type { Progress } from "../../client/read-options.js";
import { schemaOf } from "../table-schema.js";
import { FeatureParts } from "./feature-parts.js";
import type { PullStep } from "./journal.js";
import type { PullContext } from "./pull-context.js";

/**
 * An edit can reach the log after the feature: features edited in the last hour before the last pull are asked for
 * their log again.
 */
const SETTLE_MS = 3_600_000;

/** Reads the layer features of one site; null for those without one. */
export function pullFeatures(context: PullContext, site: number | null): Promise<PullStep> {
  const { journal, now, previous, signal } = context;
  const step = `${schemaOf("layerFeatures").name}/${site}`;
  return journal.step(step, async () => {
    const from = now().toISOString();
    const settledUs = previous ? (Date.parse(previous.read_at) - SETTLE_MS) * 1000 : 0;
    const parts = await FeatureParts.open(context, site, settledUs);
    const started = performance.now();
    const onProgress = ({ rows, total }: Progress) => {
      const remainingMs = total && rows > 0 ? ((performance.now() - started) / rows) * (total - rows) : undefined;
      context.report({ stage: `layer_features of site ${site ?? "none"}`, rows, total, remainingMs });
    };
    for await (const batch of context.feed.rows("layerFeatures", { site_id: site }, onProgress)) {
      signal?.throwIfAborted();
      await parts.add(batch);
    }
    return { step, from, to: now().toISOString(), ...(await parts.finish()) };
  });
}
