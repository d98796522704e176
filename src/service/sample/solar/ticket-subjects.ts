import type { NonEmpty } from "../base/random.js";

/** What a ticket is about. */
export interface TicketSubject {
  readonly title: string;
  readonly text: string;
  readonly discipline: "civil" | "mechanical" | "electrical" | "safety" | "documents";
  /** Cost of the work, in euros: from and to. */
  readonly costs: readonly [number, number];
}

export const ticketSubjects: NonEmpty<TicketSubject> = [
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
