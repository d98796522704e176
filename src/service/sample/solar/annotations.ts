import { DAY, HOUR, instant } from "../base/instant.js";
import { itemAt, randomStreams } from "../base/random.js";
import { polygon, rectangle } from "../base/shapes.js";
import { annotation } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { DUE_DATE, STATUS, VOLUME } from "../company/definition.js";
import { oneOf, people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { Journal, workMoment } from "../log/journal.js";
import type { ParkSetting } from "./park-lines.js";

const FIRST = instant("2023-05-08");
const TITLES = ["Gravel stockpile", "Topsoil stockpile", "Sand stockpile", "Spoil from trenches"] as const;

/** Areas marked on the map: stockpiles that are measured again and again, and marks that belong to a ticket. */
export function annotations({ seed, counts, firstIds, park }: ParkSetting, tickets: FeatureSet): FeatureSet {
  const dataset = datasetOf("solar/annotations");
  const looks = randomStreams(seed, "annotations");
  const lives = randomStreams(seed, "annotation edits");
  const ticketOf = (index: number): number | null =>
    index % 2 === 1 ? Math.floor((index * counts.tickets) / counts.annotations) : null;
  const createdAt = (index: number): number => {
    const ticket = ticketOf(index);
    if (ticket !== null) return tickets.draft(ticket).createdAt + 2 * HOUR;
    return workMoment(looks(index), FIRST + ((700 * index) / counts.annotations) * DAY);
  };
  return {
    count: counts.annotations,
    draft(index) {
      const random = looks(index);
      const ticket = ticketOf(index);
      const { corner, width } = itemAt(park.blocks, random.integer(0, park.blocks.length - 1));
      const x = corner[0] + random.between(0, width - 20);
      const title = ticket === null ? itemAt(TITLES, (index / 2) % TITLES.length) : "Mark of a ticket";
      return {
        visible_id: `AN-${String(index + 1).padStart(3, "0")}`,
        dataset,
        geometry: polygon(park.frame, rectangle([x, corner[1] - 15.5], random.between(8, 18), random.between(3, 5.5))),
        description: title,
        createdAt: createdAt(index),
        unlogged: {
          [annotation.title.id]: title,
          ...(ticket === null ? {} : { [annotation.ticket.id]: firstIds.tickets + ticket }),
        },
      };
    },
    edits(index) {
      const random = lives(index);
      const journal = new Journal(firstIds.annotations + index, random);
      const ticket = ticketOf(index);
      const created = createdAt(index);
      journal.person(oneOf(random, people.inspectors), STATUS, "OPEN", created);
      journal.person(itemAt(people.surveyors, 0).id, annotation.visible.id, true, created);
      if (ticket === null) {
        measure(journal, random.between(40, 600), created);
      } else {
        const closing = tickets.edits(ticket).find((edit) => edit.key === DUE_DATE && edit.value === null);
        if (closing !== undefined) {
          const closed = journal.knockOn(closing, STATUS, "CLOSED");
          journal.knockOn(closed, annotation.visible.id, false);
        }
      }
      return journal.edits();
    },
  };
}

/** A stockpile shrinks from survey to survey, until it is used up. */
function measure(journal: Journal, cubicMetres: number, from: number): void {
  let left = cubicMetres;
  for (let survey = 1; survey <= 4; survey++) {
    const at = from + survey * 28 * DAY + 417;
    const volume = journal.system(VOLUME, Math.round(left * 10) / 10, at);
    journal.knockOn(volume, annotation.survey.id, { method: "surface model", cell_m: 0.05, base: "lowest edge" });
    left *= 0.62;
  }
  journal.system(VOLUME, null, from + 5 * 28 * DAY);
}
