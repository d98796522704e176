import { DAY } from "../base/instant.js";
import type { Metres } from "../base/local-grid.js";
import { randomStreams } from "../base/random.js";
import { capturesOf, products } from "../company/operations.js";
import type { Span } from "../features/sightings.js";
import { MODULE_WIDTH, MODULES_IN_ROW } from "../grounds/solar-park.js";
import { type AnomalyKind, anomalyKind } from "./anomaly-kinds.js";
import type { ParkSetting } from "./park-setting.js";

export const thermalCaptures = capturesOf(products.solarThermal);

/** A physical defect of the modules: it stays where it is until it is repaired. */
export interface SolarDefect extends Span {
  readonly kind: AnomalyKind;
  readonly table: number;
  /** Where the defect is, from the table's lower left corner. */
  readonly offset: Metres;
  readonly deltaT: number;
  readonly loss: number;
}

/** The defects of the solar park by number. One on a table that is never energised in time shows in no capture. */
export function solarDefects({ seed, counts, park, schedule }: ParkSetting): (defect: number) => SolarDefect {
  const streams = randomStreams(seed, "defects");
  return (defect) => {
    const random = streams(defect);
    const kind = anomalyKind(random);
    const table = random.integer(0, counts.panels - 1);
    const energised = schedule.commissioned(park.table(table).block) + DAY;
    const possible = thermalCaptures.findIndex((capture) => capture.at > energised);
    const first = possible === -1 ? thermalCaptures.length : random.integer(possible, thermalCaptures.length - 1);
    let last = first;
    while (last < thermalCaptures.length - 1 && !random.chance(kind.repair)) last++;
    return {
      kind,
      table,
      first,
      last: Math.min(last, thermalCaptures.length - 1),
      offset: [random.integer(0, MODULES_IN_ROW - kind.modules) * MODULE_WIDTH, random.between(0.4, 3.6)],
      deltaT: random.between(...kind.deltaT),
      loss: random.between(...kind.loss),
    };
  };
}
