const MODELS = 9;
const MOST_TURBINES = 40;
const FIRST_ID = 100_001;

/** The kinds of features, in the order of their ids. */
const kinds = [
  "models",
  "panels",
  "trenches",
  "fences",
  "roads",
  "tickets",
  "annotations",
  "turbines",
  "roadSections",
  "deviations",
  "anomalies",
  "bladeDamages",
  "roadDeviations",
] as const;

export type FeatureKind = (typeof kinds)[number];

/** A number for each kind of feature. */
export type ByKind = Readonly<Record<FeatureKind, number>>;

/** How many features of each kind make up a company of `total` features. The panels take what the others leave. */
export function featureCounts(total: number): ByKind {
  const perMille = (share: number): number => Math.round((share * total) / 1000);
  const others = {
    models: MODELS,
    trenches: perMille(50),
    fences: perMille(14),
    roads: perMille(14),
    tickets: perMille(78),
    annotations: perMille(18),
    turbines: Math.min(MOST_TURBINES, perMille(6)),
    roadSections: perMille(18),
    deviations: perMille(72),
    anomalies: perMille(360),
    bladeDamages: perMille(36),
    roadDeviations: perMille(16),
  };
  const taken = Object.values(others).reduce((sum, count) => sum + count, 0);
  return { ...others, panels: total - taken };
}

/** Id of the first feature of each kind; the others of its kind follow it. */
export function firstFeatureIds(counts: ByKind): ByKind {
  let next = FIRST_ID;
  const entries = kinds.map((kind) => {
    const first = next;
    next += counts[kind];
    return [kind, first] as const;
  });
  return Object.fromEntries(entries) as Record<FeatureKind, number>;
}
