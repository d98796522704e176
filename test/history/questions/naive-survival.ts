import { canonicalJson } from "../../../src/core/json.js";
import type { SurvivalOptions } from "../../../src/history/questions/survival.js";

/** In days since the beginning. */
export interface NaiveSpell {
  readonly entry: number;
  readonly exit: number;
  readonly isEvent: boolean;
}

const US_PER_DAY = 86_400_000_000;

/** Spells from the rows of `intervals()`: walked feature by feature, one value at a time. */
export function naiveSpells(
  rows: readonly object[],
  options: Pick<SurvivalOptions, "start" | "done" | "unknownStart">,
  readAt: Date,
): { readonly kept: readonly NaiveSpell[]; readonly leftOut: number } {
  const cut = readAt.getTime() * 1000;
  const isOneOf = (set: unknown, value: unknown) =>
    (Array.isArray(set) ? set : [set]).some((one) => canonicalJson(one) === canonicalJson(value));
  const intervals = rows as readonly Readonly<Record<string, unknown>>[];
  const kept: NaiveSpell[] = [];
  let leftOut = 0;
  for (const id of new Set(intervals.map((row) => row["id"]))) {
    const own = intervals
      .filter((row) => row["id"] === id)
      .filter((row) => Number(row["valid_from_us"] ?? -Infinity) < cut);
    for (let place = 0; place < own.length; place += 1) {
      const [row, before] = [own[place], own[place - 1]];
      if (row?.["state"] === "unknown" || !isOneOf(options.start, row?.["value"])) continue;
      const rest = own.slice(place + 1);
      const event = rest.find((later) => isOneOf(options.done, later["value"]));
      const seen = row?.["valid_from_us"];
      const began = before?.["state"] === "unknown" ? before["valid_from_us"] : seen;
      const end = event ? Number(event["valid_from_us"]) : cut;
      const isLate = began !== seen;
      if (began === null || (isLate && options.unknownStart === "drop")) leftOut += 1;
      else {
        const [first, last] = [Number(began), Number(seen)];
        const entry = (last - first) / US_PER_DAY;
        kept.push({ entry, exit: (end - first) / US_PER_DAY, isEvent: event !== undefined });
      }
      if (!event) break;
      place = own.indexOf(event);
    }
  }
  return { kept, leftOut };
}

type Step = Readonly<
  Record<"days" | "at_risk" | "entered" | "events" | "censored" | "survival" | "lower" | "upper", number>
>;

/** Kaplan-Meier from its definition: the risk set of each time is counted again, over all spells. 95 % bands. */
export function curveOf(spells: readonly NaiveSpell[]): readonly Step[] {
  const times = [...new Set([0, ...spells.flatMap(({ entry, exit }) => [entry, exit])])].sort((a, b) => a - b);
  const hazards = times.map((days) => {
    const count = (is: (spell: NaiveSpell) => boolean) => spells.filter(is).length;
    return {
      days,
      at_risk: count(({ entry, exit }) => (days === 0 ? entry === 0 : entry < days) && exit >= days),
      entered: days === 0 ? 0 : count(({ entry }) => entry === days),
      events: count(({ exit, isEvent }) => exit === days && isEvent),
      censored: count(({ exit, isEvent }) => exit === days && !isEvent),
    };
  });
  return hazards.map((hazard, place) => {
    const past = hazards.slice(0, place + 1).filter(({ events }) => events > 0);
    const survival = past.reduce((product, { events, at_risk }) => product * (1 - events / at_risk), 1);
    const variance = past.reduce((sum, { events, at_risk }) => sum + events / (at_risk * (at_risk - events)), 0);
    if (survival === 1 || survival === 0) return { ...hazard, survival, lower: survival, upper: survival };
    const width = (1.959963984540054 * Math.sqrt(variance)) / Math.log(survival);
    const band = (sign: number) => Math.exp(-Math.exp(Math.log(-Math.log(survival)) + sign * width));
    return { ...hazard, survival, lower: band(-1), upper: band(1) };
  });
}
