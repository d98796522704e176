import type { Geometry } from "geojson";
import { DAY, HOUR, MINUTE } from "../base/instant.js";
import { itemAt } from "../base/item-at.js";
import { point, polygon } from "../base/local-grid.js";
import { type Random, randomStreams } from "../base/random.js";
import { rectangle } from "../base/shapes.js";
import { datasetOf } from "../company/datasets.js";
import { anomaly } from "../company/finding-definitions.js";
import { ASSIGNEE, STATUS } from "../company/keys.js";
import { oneOf, people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { Sightings } from "../features/sightings.js";
import { MODULE_WIDTH, type SolarPark, TABLE_DEPTH } from "../grounds/solar-park.js";
import { Journal } from "../log/journal.js";
import { workMoment } from "../log/work-moment.js";
import type { ParkSetting } from "./park-setting.js";
import { type SolarDefect, solarDefects, thermalCaptures } from "./solar-defects.js";

/** Metres by which the same defect moves from capture to capture, at most, along each axis. */
const JITTER = 0.2;
/** From the flight to the import of its findings. */
const IMPORT_LAG = 3 * DAY + 13 * MINUTE + 417_086;

/** The anomalies of the thermal captures: the same defect is found again until it is repaired. */
export function solarAnomalies(setting: ParkSetting): FeatureSet {
  const { seed, counts, firstIds, park } = setting;
  const defectAt = solarDefects(setting);
  const looks = randomStreams(seed, "anomalies");
  const lives = randomStreams(seed, "anomaly edits");
  const sightings = new Sightings(counts.anomalies, thermalCaptures.length, defectAt);
  const datasets = thermalCaptures.map((capture) => datasetOf(`solar-anomalies/${capture.date}`));
  const importedAt = (capture: number): number => itemAt(thermalCaptures, capture).at + IMPORT_LAG;
  return {
    count: counts.anomalies,
    draft(index) {
      const { subject, capture, previous } = sightings.at(index);
      const defect = defectAt(subject);
      const random = looks(index);
      const { date } = itemAt(thermalCaptures, capture);
      const deltaT = Math.round((defect.deltaT + random.between(-0.8, 0.8)) * 10) / 10;
      return {
        visible_id: `TH-${date.slice(2, 4)}${date.slice(5, 7)}-${String(index + 1).padStart(5, "0")}`,
        dataset: itemAt(datasets, capture),
        geometry: place(park, defect, random),
        description: "",
        createdAt: importedAt(capture),
        unlogged: {
          [anomaly.kind.id]: defect.kind.code,
          [anomaly.deltaT.id]: index % 97 === 40 ? `${deltaT} K` : deltaT,
          [anomaly.table.id]: firstIds.panels + defect.table,
          [anomaly.image.id]: `https://images.helia-renewables.example/ir/${date}/${index + 1}.tiff`,
          ...(previous === null ? {} : { [anomaly.previous.id]: firstIds.anomalies + previous }),
        },
      };
    },
    edits(index) {
      const { subject, capture, isLast } = sightings.at(index);
      const defect = defectAt(subject);
      const random = lives(index);
      const journal = new Journal(firstIds.anomalies + index, random);
      journal.system(STATUS, "NEW", importedAt(capture));
      journal.system(anomaly.loss.id, Math.round(defect.loss), importedAt(capture));
      const isRepaired = isLast && capture < thermalCaptures.length - 1;
      inspect(journal, random, defect, importedAt(capture), isRepaired);
      return journal.edits();
    },
  };
}

function place(park: SolarPark, defect: SolarDefect, random: Random): Geometry {
  const [x, y] = park.table(defect.table).corner;
  const jitter = (): number => random.between(-JITTER, JITTER);
  const left = x + defect.offset[0] + jitter();
  const { modules } = defect.kind;
  if (modules === 1) return point(park.frame, [left + MODULE_WIDTH / 2, y + defect.offset[1] + jitter()]);
  return polygon(park.frame, rectangle([left, y + jitter()], modules * MODULE_WIDTH, TABLE_DEPTH));
}

/** The thermographer judges it; the loss follows from the judgement; someone repairs it, or nobody does. */
function inspect(journal: Journal, random: Random, defect: SolarDefect, importedAt: number, isRepaired: boolean): void {
  const thermographer = oneOf(random, people.inspectors);
  const judgedAt = workMoment(random, importedAt + random.integer(1, 9) * DAY);
  const judged = journal.person(thermographer, anomaly.severity.id, severityOf(defect), judgedAt);
  journal.knockOn(judged, anomaly.loss.id, Math.round(defect.loss * random.between(0.85, 1.1)));
  if (!isRepaired && random.chance(0.03)) {
    journal.person(thermographer, STATUS, "REJECTED", judgedAt);
    journal.person(thermographer, anomaly.remarks.id, "Reflection", judgedAt);
    return;
  }
  journal.person(thermographer, STATUS, "CONFIRMED", judgedAt);
  if (!isRepaired) return;
  const repairedAt = workMoment(random, judgedAt + random.integer(5, 55) * DAY);
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
