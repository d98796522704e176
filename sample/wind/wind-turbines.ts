import { type NonEmpty, type Random, randomStreams } from "../../src/core/random.js";
import { DAY, instant } from "../base/instant.js";
import { itemAt, tenths } from "../base/random.js";
import { type Metres, point } from "../base/shapes.js";
import { turbine } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS } from "../company/definition.js";
import { bladeDamage } from "../company/finding-definitions.js";
import { capturesOf, products } from "../company/operations.js";
import { oneOf, people } from "../company/people.js";
import { type FeatureSet, featureSet, numbered, type Setting } from "../features/feature-set.js";
import { Sightings, type Span } from "../features/sightings.js";
import { turbineName, type WindFarm } from "../grounds/wind-farm.js";
import { workMoment } from "../log/journal.js";

const IMPORTED = instant("2024-03-04T10:30:00Z");

/** The turbines, with a stop for repair now and then. */
export function windTurbines(setting: WindSetting): FeatureSet {
  const { farm } = setting;
  const dataset = datasetOf("wind/turbines");
  return featureSet(
    setting,
    "turbines",
    "turbine edits",
    (index) => ({
      visible_id: turbineName(index),
      dataset,
      geometry: point(farm.frame, itemAt(farm.turbines, index)),
      description: "Kestrel K-117",
      createdAt: IMPORTED,
      unlogged: {
        [turbine.hubHeight.id]: 91.5,
        [turbine.rotorDiameter.id]: 117,
        [turbine.ratedPower.id]: 4200,
        [turbine.serial.id]: `K117-${20_410 + index * 7}`,
      },
    }),
    (_, journal, random) => {
      const manager = itemAt(people.siteManagers, 1).id;
      let at = IMPORTED;
      journal.system(STATUS, "IN_OPERATION", at);
      for (let stop = random.integer(0, 3); stop > 0; stop--) {
        at = workMoment(random, at + random.integer(60, 240) * DAY);
        journal.person(manager, STATUS, "STOPPED", at);
        at = workMoment(random, at + random.integer(1, 12) * DAY);
        journal.person(manager, STATUS, "IN_OPERATION", at);
      }
    },
  );
}

/** Inputs of the wind farm's features. */
interface WindSetting extends Setting {
  readonly farm: WindFarm;
}

interface Blade {
  readonly name: string;
  /** Its position on the map. */
  readonly direction: Metres;
}

const BLADES: NonEmpty<Blade> = [
  { name: "A", direction: [0, 1] },
  { name: "B", direction: [-0.866025, -0.5] },
  { name: "C", direction: [0.866025, -0.5] },
];
const KINDS: NonEmpty<string> = [
  "erosion",
  "erosion",
  "erosion",
  "contamination",
  "contamination",
  "crack",
  "crack",
  "lightning",
  "delamination",
];
const SEVERITIES = ["low", "medium", "high", "critical"] as const;

interface Damage extends Span {
  readonly turbine: number;
  readonly blade: Blade;
  readonly kind: string;
  readonly radius: number;
  readonly size: number;
}

/** Damages on blades, which grow from capture to capture until they are repaired. */
export function bladeDamages(setting: WindSetting): FeatureSet {
  const { seed, counts, farm } = setting;
  const captures = capturesOf(products.windBlades);
  const layers = captures.map(({ date }) => {
    const key = `blade-damages/${date}`;
    return { dataset: datasetOf(key), property: bladeDamage(key) };
  });
  const causes = randomStreams(seed, "blade damages");
  const damageAt = (subject: number): Damage => damage(causes(subject), counts.turbines, captures.length);
  const sightings = new Sightings(counts.bladeDamages, captures.length, damageAt);
  const importedAt = (capture: number): number => itemAt(captures, capture).at + 4 * DAY + 250_731;
  return featureSet(
    setting,
    "bladeDamages",
    "blade damage edits",
    (index) => {
      const { subject, capture } = sightings.at(index);
      const { turbine, blade, kind, radius, size, first } = damageAt(subject);
      const { dataset, property } = itemAt(layers, capture);
      const [x, y] = itemAt(farm.turbines, turbine);
      return {
        visible_id: numbered("BD-", index, 4),
        dataset,
        geometry: point(farm.frame, [x + blade.direction[0] * radius, y + blade.direction[1] * radius]),
        description: "",
        createdAt: importedAt(capture),
        unlogged: {
          [property.turbine.id]: turbineName(turbine),
          [property.blade.id]: blade.name,
          [property.kind.id]: kind,
          [property.radius.id]: radius,
          [property.size.id]: Math.round(size * (1 + 0.35 * (capture - first))),
        },
      };
    },
    (index, journal, random) => {
      const { subject, capture, isLast } = sightings.at(index);
      const { first } = damageAt(subject);
      const { property } = itemAt(layers, capture);
      const inspector = oneOf(random, people.inspectors);
      const judgedAt = workMoment(random, importedAt(capture) + random.integer(2, 12) * DAY);
      const level = Math.min(SEVERITIES.length - 1, (subject % 3) + capture - first);
      journal.system(STATUS, "NEW", importedAt(capture));
      journal.person(inspector, property.severity.id, itemAt(SEVERITIES, level), judgedAt);
      journal.person(inspector, STATUS, "CONFIRMED", judgedAt);
      if (isLast && capture < captures.length - 1) {
        journal.person(inspector, STATUS, "REPAIRED", workMoment(random, judgedAt + random.integer(20, 120) * DAY));
      }
    },
  );
}

function damage(random: Random, turbineCount: number, captureCount: number): Damage {
  const first = random.integer(0, captureCount - 1);
  return {
    first,
    last: Math.min(captureCount - 1, first + random.integer(0, 3)),
    turbine: random.integer(0, turbineCount - 1),
    blade: random.pick(BLADES),
    kind: random.pick(KINDS),
    radius: tenths(random.between(6, 57.5)),
    size: random.integer(4, 90),
  };
}
