import { type Random, randomStreams } from "../../src/core/random.js";
import { DAY, dateText } from "../base/instant.js";
import { itemAt, tenths } from "../base/random.js";
import { polygon, rectangle } from "../base/shapes.js";
import { component, panel } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { PROGRESS, STATUS } from "../company/definition.js";
import { oneOf, people } from "../company/people.js";
import { MODULE_TYPES } from "../features/component-models.js";
import { type FeatureSet, featureSet, numbered } from "../features/feature-set.js";
import { MODULES_IN_ROW, type ParkTable, TABLE_DEPTH, TABLE_WIDTH } from "../grounds/solar-park.js";
import { type Edit, fieldEdit, type Journal } from "../log/journal.js";
import type { ParkSetting } from "./park-lines.js";
import { parkMoment, plannedDate, type SolarSchedule } from "./solar-schedule.js";

const CONTRACTORS = ["Ferrum Montaje", "Barros Solar Services", "Iberian Pile Works"] as const;
const REMARKS = ["Post 3 re-driven", "Clamp replaced", "Module scratched in transport", "Row end shortened"] as const;

/** The tables of the solar park, from the import of the design to the grid. */
export function solarPanels(setting: ParkSetting): FeatureSet {
  const { seed, firstIds, park, schedule, baseline } = setting;
  const dataset = datasetOf("solar/panels");
  const looks = randomStreams(seed, "panels");
  return featureSet(
    setting,
    "panels",
    "panel edits",
    (index) => {
      const table = park.table(index);
      return {
        visible_id: tableName(table),
        dataset,
        geometry: polygon(park.frame, rectangle(table.corner, TABLE_WIDTH, TABLE_DEPTH)),
        description: "",
        createdAt: schedule.designImported(table.block),
        unlogged: {
          [panel.model.id]: firstIds.models + looks(index).integer(0, MODULE_TYPES - 1),
          [panel.contractedModules.id]: 2 * MODULES_IN_ROW,
          [panel.plannedFinish.id]: plannedDate(baseline.commissioned(table.block)),
          [component.contractor.id]: itemAt(CONTRACTORS, table.block % CONTRACTORS.length),
        },
      };
    },
    (index, journal, random) => build(journal, random, schedule, park.table(index)),
  );
}

function tableName({ block, row, column }: ParkTable): string {
  return [numbered("B", block, 2), numbered("R", row, 2), numbered("T", column, 2)].join("-");
}

function build(journal: Journal, random: Random, schedule: SolarSchedule, table: ParkTable): void {
  const { block } = table;
  const foreman = itemAt(people.foremen, block % people.foremen.length).id;
  const step = (status: string, day: number, progress: number): Edit => {
    const at = parkMoment(random, day + random.integer(0, 5) * DAY);
    const edit = fieldEdit(journal, random, foreman, STATUS, status, at);
    journal.knockOn(edit, PROGRESS, progress);
    return edit;
  };

  journal.system(STATUS, "PLANNED", schedule.designImported(block));
  const piles = step("PILES", schedule.piles(table), 25);
  if (random.chance(0.08)) {
    journal.person(foreman, panel.pullOutTest.id, tenths(random.between(9, 16)), piles.at + DAY);
  }
  const structure = step("STRUCTURE", schedule.structure(table), 50);
  fieldEdit(journal, random, foreman, panel.torqueChecked.id, true, structure.at);
  const modules = step("MODULES", schedule.modules(table), 80);
  journal.person(foreman, panel.modules.id, 2 * MODULES_IN_ROW, modules.at);
  journal.person(foreman, panel.batch.id, `SB-${24000 + block * 10 + random.integer(0, 3)}`, modules.at);
  // The quality round confirms what is there already: a change that changes nothing.
  if (random.chance(0.03)) journal.person(oneOf(random, people.inspectors), STATUS, "MODULES", modules.at + 2 * DAY);
  if (random.chance(0.05)) remark(journal, random, foreman, modules.at + DAY);
  // A few tables still wait for spare modules.
  if (!random.chance(0.004)) commission(journal, random, schedule, block);
}

function remark(journal: Journal, random: Random, foreman: number, at: number): void {
  journal.person(foreman, panel.remarks.id, random.pick(REMARKS), at);
  journal.person(foreman, panel.remarks.id, null, at + random.integer(3, 20) * DAY);
}

function commission(journal: Journal, random: Random, schedule: SolarSchedule, block: number): void {
  const at = schedule.commissioned(block);
  const inspector = itemAt(people.inspectors, block % people.inspectors.length).id;
  const commissioned = journal.person(inspector, STATUS, "COMMISSIONED", at);
  journal.knockOn(commissioned, PROGRESS, 100);
  const passed = journal.person(inspector, component.inspection.id, random.chance(0.94) ? "pass" : "conditional", at);
  journal.knockOn(passed, component.inspectedOn.id, dateText(at));
  if (random.chance(0.1)) {
    const watts = (): number => tenths(random.between(571, 593));
    journal.system(panel.flashTest.id, [watts(), watts(), watts()], at - 5 * DAY);
  }
}
