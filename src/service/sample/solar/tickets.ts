import { DAY, HOUR, instant, PRESENT } from "../base/instant.js";
import { point } from "../base/local-grid.js";
import { type Random, randomStreams } from "../base/random.js";
import { ticket } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS } from "../company/keys.js";
import type { FeatureSet } from "../features/feature-set.js";
import { TABLE_DEPTH, TABLE_WIDTH } from "../grounds/solar-park.js";
import { Journal } from "../log/journal.js";
import { workMoment } from "../log/work-moment.js";
import type { ParkSetting } from "./park-setting.js";
import { ticketLife } from "./ticket-life.js";
import { type TicketSubject, ticketSubjects } from "./ticket-subjects.js";

const FIRST = instant("2023-04-17");
const LAST = PRESENT - 5 * DAY;

interface Ticket {
  readonly reportedAt: number;
  readonly subject: TicketSubject;
  readonly table: number;
  /** When the service got it: a day later if it was written out of reach of the network. */
  readonly syncedAt: number;
}

/** The punch list of the solar park. Tickets are numbered in the order of their reports. */
export function tickets({ seed, counts, firstIds, park }: ParkSetting): FeatureSet {
  const dataset = datasetOf("solar/punch-list");
  const reports = randomStreams(seed, "tickets");
  const lives = randomStreams(seed, "ticket edits");
  const ticketAt = (index: number, random: Random): Ticket => {
    const reportedAt = workMoment(random, FIRST + ((LAST - FIRST) * index) / counts.tickets);
    return {
      reportedAt,
      syncedAt: index % 17 === 3 ? reportedAt + DAY - 2 * HOUR : reportedAt,
      subject: random.pick(ticketSubjects),
      table: random.integer(0, counts.panels - 1),
    };
  };
  return {
    count: counts.tickets,
    draft(index) {
      const random = reports(index);
      const { syncedAt, subject, table } = ticketAt(index, random);
      const [x, y] = park.table(table).corner;
      return {
        visible_id: `PL-${String(index + 1).padStart(4, "0")}`,
        dataset,
        geometry: point(park.frame, [x + random.between(0, TABLE_WIDTH), y + random.between(0, TABLE_DEPTH)]),
        description: `${subject.title} (${subject.text})`,
        createdAt: syncedAt,
        unlogged: {
          [ticket.title.id]: subject.title,
          [ticket.discipline.id]: subject.discipline,
          [ticket.component.id]: firstIds.panels + table,
          [ticket.safety.id]: subject.discipline === "safety",
        },
        // The old tracker's last state was copied over the new one.
        ...(index % 53 === 19 ? { contradicting: { [STATUS]: "IN_PROGRESS" } } : {}),
      };
    },
    edits(index) {
      const { reportedAt, syncedAt, subject } = ticketAt(index, reports(index));
      const random = lives(index);
      const journal = new Journal(firstIds.tickets + index, random);
      ticketLife(journal, random, { reportedAt, syncedAt, costs: subject.costs, isCostText: index % 31 === 9 });
      return journal.edits();
    },
  };
}
