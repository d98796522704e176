import type { Geometry } from "geojson";
import { type Random, randomStreams } from "../../src/core/random.js";
import { DAY, HOUR, MINUTE } from "../base/instant.js";
import { itemAt, tenths } from "../base/random.js";
import { type Metres, point, polygon, rectangle } from "../base/shapes.js";
import { datasetOf } from "../company/datasets.js";
import { ASSIGNEE, STATUS } from "../company/definition.js";
import { anomaly } from "../company/finding-definitions.js";
import { capturesOf, FOG_DATE, products } from "../company/operations.js";
import { oneOf, people } from "../company/people.js";
import { deviations } from "../features/deviations.js";
import { type FeatureSet, featureSet, numbered } from "../features/feature-set.js";
import { Sightings, type Span } from "../features/sightings.js";
import { MODULE_WIDTH, MODULES_IN_ROW, type SolarPark, TABLE_DEPTH, TABLE_WIDTH } from "../grounds/solar-park.js";
import type { Journal } from "../log/journal.js";
import { isInFog } from "./flown-blocks.js";
import type { ParkSetting } from "./park-lines.js";
import { parkMoment } from "./solar-schedule.js";

/** Metres by which the same defect moves from capture to capture, at most, along each axis. */
const JITTER = 0.2;
/** From the flight to the import of its findings. */
const IMPORT_LAG = 3 * DAY + 13 * MINUTE + 417_086;

/** The anomalies of the thermal captures: the same defect is found again until it is repaired. */
export function solarAnomalies(setting: ParkSetting): FeatureSet {
  const { seed, counts, firstIds, park } = setting;
  const defectAt = solarDefects(setting);
  const looks = randomStreams(seed, "anomalies");
  const sightings = new Sightings(counts.anomalies, thermalCaptures.length, defectAt);
  const datasets = thermalCaptures.map((capture) => datasetOf(`solar-anomalies/${capture.date}`));
  const importedAt = (capture: number): number => itemAt(thermalCaptures, capture).at + IMPORT_LAG;
  return featureSet(
    setting,
    "anomalies",
    "anomaly edits",
    (index) => {
      const { subject, capture, previous } = sightings.at(index);
      const defect = defectAt(subject);
      const random = looks(index);
      const { date } = itemAt(thermalCaptures, capture);
      const deltaT = tenths(defect.deltaT + random.between(-0.8, 0.8));
      return {
        visible_id: numbered(`TH-${date.slice(2, 4)}${date.slice(5, 7)}-`, index, 5),
        dataset: itemAt(datasets, capture),
        geometry: place(park, defect, random),
        description: "",
        createdAt: importedAt(capture),
        unlogged: {
          [anomaly.kind.id]: defect.kind.code,
          [anomaly.iecClass.id]: iecClassOf(defect),
          [anomaly.modules.id]: defect.kind.modules,
          [anomaly.deltaT.id]: index % 97 === 40 ? `${deltaT} K` : deltaT,
          [anomaly.table.id]: firstIds.panels + defect.table,
          [anomaly.image.id]: `https://images.helia-renewables.example/ir/${date}/${index + 1}.tiff`,
          ...(previous === null ? {} : { [anomaly.previous.id]: firstIds.anomalies + previous }),
        },
      };
    },
    (index, journal, random) => {
      const { subject, capture, isLast } = sightings.at(index);
      const defect = defectAt(subject);
      journal.system(STATUS, "NEW", importedAt(capture));
      journal.system(anomaly.loss.id, Math.round(defect.loss), importedAt(capture));
      const isRepaired = isLast && capture < thermalCaptures.length - 1;
      inspect(journal, random, defect, importedAt(capture), isRepaired);
    },
  );
}

function place(park: SolarPark, defect: SolarDefect, random: Random): Geometry {
  const [x, y] = park.table(defect.table).corner;
  const jitter = (): number => random.between(-JITTER, JITTER);
  const left = x + defect.offset[0] + jitter();
  const { modules } = defect.kind;
  if (modules === 1) return point(park.frame, [left + MODULE_WIDTH / 2, y + defect.offset[1] + jitter()]);
  return polygon(park.frame, rectangle([left, y + jitter()], modules * MODULE_WIDTH, TABLE_DEPTH));
}

/** The thermographer judges it; the loss follows from the judgement; some are repaired. */
function inspect(journal: Journal, random: Random, defect: SolarDefect, importedAt: number, isRepaired: boolean): void {
  const thermographer = oneOf(random, people.inspectors);
  const judgedAt = parkMoment(random, importedAt + random.integer(1, 9) * DAY);
  const judged = journal.person(thermographer, anomaly.severity.id, severityOf(defect), judgedAt);
  journal.knockOn(judged, anomaly.loss.id, Math.round(defect.loss * random.between(0.85, 1.1)));
  if (!isRepaired && random.chance(0.03)) {
    journal.person(thermographer, STATUS, "REJECTED", judgedAt);
    journal.person(thermographer, anomaly.remarks.id, "Reflection", judgedAt);
    return;
  }
  journal.person(thermographer, STATUS, "CONFIRMED", judgedAt);
  if (!isRepaired) return;
  const repairedAt = parkMoment(random, judgedAt + random.integer(5, 55) * DAY);
  journal.person(thermographer, ASSIGNEE, "O&M crew", judgedAt + 2 * HOUR);
  const fixed = journal.person(oneOf(random, people.foremen), STATUS, "FIXED", repairedAt);
  const loss = journal.knockOn(fixed, anomaly.loss.id, 0);
  journal.knockOn(loss, ASSIGNEE, null);
}

function severityOf({ deltaT, loss }: SolarDefect): string {
  if (loss > 5000 || deltaT > 30) return "critical";
  if (loss > 200 || deltaT > 18) return "high";
  return deltaT > 7 ? "medium" : "low";
}

/** The class of abnormality by IEC TS 62446-3. */
function iecClassOf({ kind, deltaT }: SolarDefect): number {
  if (kind.code === "soiling" || kind.code === "vegetation") return 1;
  if (kind.code === "cracked_glass") return 3;
  if (kind.code !== "hot_spot") return 2;
  return deltaT < 10 ? 1 : deltaT < 30 ? 2 : 3;
}

const thermalCaptures = capturesOf(products.solarThermal);
const fogFlight = thermalCaptures.findIndex(({ date }) => date === FOG_DATE);

/** A physical defect of the modules: it stays where it is until it is repaired. */
interface SolarDefect extends Span {
  readonly kind: AnomalyKind;
  readonly table: number;
  /** Position of the defect, from the table's lower left corner. */
  readonly offset: Metres;
  readonly deltaT: number;
  readonly loss: number;
}

/** The defects of the solar park by number. One on a table that is never energised in time shows in no capture. */
function solarDefects({ seed, counts, park, schedule }: ParkSetting): (defect: number) => SolarDefect {
  const streams = randomStreams(seed, "defects");
  return (defect) => {
    const random = streams(defect);
    const kind = anomalyKind(random);
    const table = random.integer(0, counts.panels - 1);
    const { block } = park.table(table);
    const energised = schedule.commissioned(block) + DAY;
    const possible = thermalCaptures.findIndex((capture) => capture.at > energised);
    const first = possible === -1 ? thermalCaptures.length : random.integer(possible, thermalCaptures.length - 1);
    let last = first;
    while (last < thermalCaptures.length - 1 && !random.chance(kind.repair)) last++;
    return {
      kind,
      table,
      first,
      last: Math.min(last, thermalCaptures.length - 1),
      ...(isInFog(park, block) ? { missed: fogFlight } : {}),
      offset: [random.integer(0, MODULES_IN_ROW - kind.modules) * MODULE_WIDTH, random.between(0.4, 3.6)],
      deltaT: random.between(...kind.deltaT),
      loss: random.between(...kind.loss),
    };
  };
}

/** A class of thermal anomaly, with what is typical of it. */
interface AnomalyKind {
  readonly code: string;
  /** Out of a hundred anomalies. */
  readonly share: number;
  /** Hotter than its surroundings by, in kelvin. */
  readonly deltaT: readonly [number, number];
  /** Yearly loss, in kWh. */
  readonly loss: readonly [number, number];
  /** Chance that it is repaired before the next capture. */
  readonly repair: number;
  /** Modules in the row that it covers. */
  readonly modules: number;
}

const kinds = [
  { code: "hot_spot", share: 40, deltaT: [6, 38], loss: [4, 45], repair: 0.2, modules: 1 },
  { code: "diode", share: 20, deltaT: [3, 9], loss: [240, 380], repair: 0.3, modules: 1 },
  { code: "soiling", share: 14, deltaT: [2, 7], loss: [5, 60], repair: 0.45, modules: 1 },
  { code: "vegetation", share: 9, deltaT: [3, 12], loss: [10, 90], repair: 0.5, modules: 1 },
  { code: "cracked_glass", share: 8, deltaT: [4, 18], loss: [15, 120], repair: 0.25, modules: 1 },
  { code: "string", share: 6, deltaT: [1.5, 5], loss: [18_000, 26_000], repair: 0.75, modules: 24 },
  { code: "pid", share: 3, deltaT: [2, 6], loss: [300, 900], repair: 0.1, modules: 8 },
] as const satisfies readonly AnomalyKind[];

function anomalyKind(random: Random): AnomalyKind {
  let left = random.between(0, 100);
  for (const kind of kinds) {
    left -= kind.share;
    if (left < 0) return kind;
  }
  return kinds[0];
}

/** As-built deviations of the tables: found by the first capture that shows the structure, and at times by the next. */
export function solarDeviations(setting: ParkSetting): FeatureSet {
  const { counts, park, schedule } = setting;
  return deviations(setting, "deviations", {
    product: products.solarVisual,
    dataset: "solar-deviations",
    prefix: "DV-",
    stream: "deviation",
    cause(random, captures) {
      const table = random.integer(0, counts.panels - 1);
      const built = schedule.structure(park.table(table)) + 6 * DAY;
      const first = captures.findIndex((capture) => capture.at > built);
      return { table, first, last: Math.min(captures.length - 1, first + (random.chance(0.3) ? 1 : 0)) };
    },
    geometry({ table }) {
      const [x, y] = park.table(table).corner;
      return polygon(park.frame, rectangle([x - 0.3, y - 0.3], TABLE_WIDTH + 0.6, TABLE_DEPTH + 0.6));
    },
  });
}
