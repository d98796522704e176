import { type NonEmpty, type Random, randomStreams } from "../../src/core/random.js";
import { DAY, dateText, HOUR, instant, PRESENT, startOfDay, weekday } from "../base/instant.js";
import { itemAt, tenths } from "../base/random.js";
import { point, polygon, rectangle } from "../base/shapes.js";
import { annotation, ticket } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { ASSIGNEE, DUE_DATE, PRIORITY, PROGRESS, STATUS, VOLUME } from "../company/definition.js";
import { oneOf, people } from "../company/people.js";
import { type FeatureSet, featureSet, numbered } from "../features/feature-set.js";
import { TABLE_DEPTH, TABLE_WIDTH } from "../grounds/solar-park.js";
import { fieldEdit, type Journal } from "../log/journal.js";
import type { ParkSetting } from "./park-lines.js";
import { parkMoment } from "./solar-schedule.js";

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
export function tickets(setting: ParkSetting): FeatureSet {
  const { seed, counts, firstIds, park } = setting;
  const dataset = datasetOf("solar/punch-list");
  const reports = randomStreams(seed, "tickets");
  const ticketAt = (index: number, random: Random): Ticket => {
    const reportedAt = parkMoment(random, FIRST + ((LAST - FIRST) * index) / counts.tickets);
    return {
      reportedAt,
      syncedAt: index % 17 === 3 ? reportedAt + DAY - 2 * HOUR : reportedAt,
      subject: random.pick(ticketSubjects),
      table: random.integer(0, counts.panels - 1),
    };
  };
  return featureSet(
    setting,
    "tickets",
    "ticket edits",
    (index) => {
      const random = reports(index);
      const { syncedAt, subject, table } = ticketAt(index, random);
      const [x, y] = park.table(table).corner;
      return {
        visible_id: numbered("PL-", index, 4),
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
    (index, journal, random) => {
      const { reportedAt, syncedAt, subject } = ticketAt(index, reports(index));
      ticketLife(journal, random, { reportedAt, syncedAt, costs: subject.costs, isCostText: index % 31 === 9 });
    },
  );
}

const CREWS: NonEmpty<string> = [
  "Civil crew",
  "Mechanical crew 1",
  "Mechanical crew 2",
  "Electrical crew 1",
  "Electrical crew 2",
];
const PRIORITIES: NonEmpty<string> = ["LOW", "MEDIUM", "MEDIUM", "MEDIUM", "HIGH", "URGENT"];
const BLOCKERS: NonEmpty<string> = [
  "Waiting for spare parts",
  "Access closed while the crane works",
  "Needs a permit to work",
];
const COMMENTS: NonEmpty<string> = [
  "Seen on site, photo attached.",
  "Same as on the neighbouring row.",
  "Done, please check.",
  "Not fixed, see photo.",
];

/** Shares of the tickets without follow-up. */
const NEVER_BEGUN = 0.08;
const NEVER_CLOSED = 0.08;

interface TicketReport {
  /** In microseconds. */
  readonly reportedAt: number;
  /** When the service got the report. */
  readonly syncedAt: number;
  readonly costs: readonly [number, number];
  /** Whether the cost is written as text although the property is a number. */
  readonly isCostText: boolean;
}

interface Life {
  readonly journal: Journal;
  readonly random: Random;
  readonly comments: Comment[];
  /** Who works on it. */
  readonly foreman: number;
  readonly inspector: number;
}

interface Comment {
  readonly author: number;
  readonly text: string;
}

/** A ticket from its report to its closing, with detours; the parts that lie in the future do not happen. */
function ticketLife(journal: Journal, random: Random, report: TicketReport): void {
  const { reportedAt, syncedAt } = report;
  const inspector = oneOf(random, people.inspectors);
  const life: Life = { journal, random, comments: [], foreman: oneOf(random, people.foremen), inspector };
  journal.synced(inspector, STATUS, "OPEN", reportedAt, syncedAt);
  if (random.chance(0.6)) comment(life, inspector, syncedAt + HOUR);

  const reviewedAt = nextReview(syncedAt);
  review(life, report, reviewedAt);
  if (random.chance(NEVER_BEGUN)) shelve(life, reviewedAt);
  else carryOut(life, reviewedAt);
}

function carryOut(life: Life, from: number): void {
  const { random } = life;
  let at = work(life, from);
  for (let round = 0; round < 2 && random.chance(0.2); round++) at = work(life, reopen(life, at));
  if (!random.chance(NEVER_CLOSED)) close(life, at);
}

/** The punch-list meeting: Thursdays at two. All that it decides has one timestamp. */
function nextReview(after: number): number {
  const days = (3 - weekday(after) + 7) % 7 || 7;
  return startOfDay(after) + days * DAY + 14 * HOUR;
}

function review({ journal, random }: Life, { costs, isCostText }: TicketReport, at: number): void {
  const manager = people.siteManagers[0].id;
  journal.person(manager, PRIORITY, random.pick(PRIORITIES), at);
  journal.person(manager, ASSIGNEE, random.pick(CREWS), at);
  journal.person(manager, DUE_DATE, dateText(at + random.integer(7, 45) * DAY), at);
  const [low, high] = costs;
  const cost = Math.round(random.between(low, high));
  journal.person(manager, ticket.cost.id, isCostText ? `approx. ${cost}` : cost, at);
}

/** Some tickets are blocked from the start, some just lie there. */
function shelve({ journal, random, foreman }: Life, from: number): void {
  if (random.chance(0.4)) return;
  const at = parkMoment(random, from + random.integer(1, 14) * DAY);
  journal.person(foreman, STATUS, "BLOCKED", at);
  journal.person(foreman, ticket.remarks.id, random.pick(BLOCKERS), at);
}

/** Until it is resolved; gives that moment. */
function work(life: Life, from: number): number {
  const { journal, random, foreman } = life;
  let at = parkMoment(random, from + random.integer(1, 14) * DAY);
  fieldEdit(journal, random, foreman, STATUS, "IN_PROGRESS", at);
  if (random.chance(0.25)) at = block(life, at);
  if (random.chance(0.3)) reassign(life, at + HOUR);
  at = parkMoment(random, at + random.integer(1, 25) * DAY);
  const resolved = fieldEdit(journal, random, foreman, STATUS, "RESOLVED", at);
  const progress = journal.knockOn(resolved, PROGRESS, 100);
  journal.knockOn(progress, ticket.resolvedOn.id, dateText(at));
  if (random.chance(0.5)) comment(life, foreman, at + HOUR);
  return at;
}

function block({ journal, random, foreman }: Life, from: number): number {
  const blockedAt = parkMoment(random, from + random.integer(1, 5) * DAY);
  journal.person(foreman, STATUS, "BLOCKED", blockedAt);
  journal.person(foreman, ticket.remarks.id, random.pick(BLOCKERS), blockedAt);
  const freedAt = parkMoment(random, blockedAt + random.integer(4, 40) * DAY);
  journal.person(foreman, STATUS, "IN_PROGRESS", freedAt);
  journal.person(foreman, ticket.remarks.id, null, freedAt);
  return freedAt;
}

/** To another crew, or by mistake to the same one. */
function reassign({ journal, random }: Life, at: number): void {
  journal.person(people.siteManagers[0].id, ASSIGNEE, random.pick(CREWS), at);
}

function reopen(life: Life, resolvedAt: number): number {
  const { journal, random, inspector } = life;
  const at = parkMoment(random, resolvedAt + random.integer(2, 20) * DAY);
  const reopened = journal.person(inspector, STATUS, "OPEN", at);
  const progress = journal.knockOn(reopened, PROGRESS, 50);
  journal.knockOn(progress, ticket.resolvedOn.id, null);
  comment(life, inspector, at + HOUR);
  return at;
}

function close({ journal, random, inspector }: Life, resolvedAt: number): void {
  const at = parkMoment(random, resolvedAt + random.integer(2, 15) * DAY);
  const closed = journal.person(inspector, STATUS, "CLOSED", at);
  const unassigned = journal.knockOn(closed, ASSIGNEE, null);
  journal.knockOn(unassigned, DUE_DATE, null);
}

/** Comments are one value: each adds to the list and writes the whole of it. */
function comment({ journal, random, comments }: Life, author: number, at: number): void {
  comments.push({ author, text: random.pick(COMMENTS) });
  journal.person(author, ticket.comments.id, [...comments], at);
}

/** What a ticket is about. */
interface TicketSubject {
  readonly title: string;
  readonly text: string;
  readonly discipline: "civil" | "mechanical" | "electrical" | "safety" | "documents";
  /** Cost of the work, in euros: from and to. */
  readonly costs: readonly [number, number];
}

const ticketSubjects: NonEmpty<TicketSubject> = [
  { title: "Loose module clamp", text: "torque mark missing", discipline: "mechanical", costs: [20, 90] },
  { title: "Table out of line", text: "purlin sags at the end", discipline: "mechanical", costs: [150, 900] },
  {
    title: "Corroded pile head",
    text: "zinc coating damaged by the driver",
    discipline: "mechanical",
    costs: [60, 240],
  },
  { title: "String cable on the ground", text: "cable tie broken", discipline: "electrical", costs: [15, 60] },
  { title: "Connector not seated", text: "MC4 half open", discipline: "electrical", costs: [10, 40] },
  { title: "Combiner box label missing", text: "label per LV-EL-014", discipline: "electrical", costs: [5, 20] },
  { title: "Earthing strap missing", text: "continuity above 0.1 Ω", discipline: "electrical", costs: [40, 120] },
  { title: "Trench settlement", text: "surface 15 cm low after rain", discipline: "civil", costs: [200, 2400] },
  { title: "Erosion under fence", text: "gap of 30 cm", discipline: "civil", costs: [120, 800] },
  { title: "Road washed out", text: "gravel lost at the culvert", discipline: "civil", costs: [400, 5200] },
  { title: "Open pit without barrier", text: "joint pit at the lane", discipline: "safety", costs: [30, 150] },
  { title: "Sharp cable tray edge", text: "edge protection missing", discipline: "safety", costs: [20, 80] },
  { title: "As-built drawing outdated", text: "feeder moved to the lane", discipline: "documents", costs: [50, 200] },
  {
    title: "Torque protocol missing",
    text: "protocol of the block not filed",
    discipline: "documents",
    costs: [25, 100],
  },
];

const FIRST_ANNOTATION = instant("2023-05-08");
const TITLES = ["Gravel stockpile", "Topsoil stockpile", "Sand stockpile", "Spoil from trenches"] as const;

/** Areas marked on the map: stockpiles that are measured again and again, and marks that belong to a ticket. */
export function annotations(setting: ParkSetting, punchList: FeatureSet): FeatureSet {
  const { seed, counts, firstIds, park } = setting;
  const dataset = datasetOf("solar/annotations");
  const looks = randomStreams(seed, "annotations");
  const ticketOf = (index: number): number | null =>
    index % 2 === 1 ? Math.floor((index * counts.tickets) / counts.annotations) : null;
  const createdAt = (index: number): number => {
    const ticket = ticketOf(index);
    if (ticket !== null) return punchList.draft(ticket).createdAt + 2 * HOUR;
    return parkMoment(looks(index), FIRST_ANNOTATION + ((700 * index) / counts.annotations) * DAY);
  };
  return featureSet(
    setting,
    "annotations",
    "annotation edits",
    (index) => {
      const random = looks(index);
      const of = ticketOf(index);
      const { corner, width } = itemAt(park.blocks, random.integer(0, park.blocks.length - 1));
      const x = corner[0] + random.between(0, width - 20);
      const title = of === null ? itemAt(TITLES, (index / 2) % TITLES.length) : "Mark of a ticket";
      return {
        visible_id: numbered("AN-", index, 3),
        dataset,
        geometry: polygon(park.frame, rectangle([x, corner[1] - 15.5], random.between(8, 18), random.between(3, 5.5))),
        description: title,
        createdAt: createdAt(index),
        unlogged: {
          [annotation.title.id]: title,
          ...(of === null ? {} : { [annotation.ticket.id]: firstIds.tickets + of }),
        },
      };
    },
    (index, journal, random) => {
      const of = ticketOf(index);
      const created = createdAt(index);
      journal.person(oneOf(random, people.inspectors), STATUS, "OPEN", created);
      journal.person(itemAt(people.surveyors, 0).id, annotation.visible.id, true, created);
      if (of === null) {
        measure(journal, random.between(40, 600), created);
        return;
      }
      const closing = punchList.edits(of).find((edit) => edit.key === DUE_DATE && edit.value === null);
      if (closing === undefined) return;
      const closed = journal.knockOn(closing, STATUS, "CLOSED");
      journal.knockOn(closed, annotation.visible.id, false);
    },
  );
}

/** A stockpile shrinks from survey to survey, until it is used up. */
function measure(journal: Journal, cubicMetres: number, from: number): void {
  let left = cubicMetres;
  for (let survey = 1; survey <= 4; survey++) {
    const at = from + survey * 28 * DAY + 417;
    const volume = journal.system(VOLUME, tenths(left), at);
    journal.knockOn(volume, annotation.survey.id, { method: "surface model", cell_m: 0.05, base: "lowest edge" });
    left *= 0.62;
  }
  journal.system(VOLUME, null, from + 5 * 28 * DAY);
}
