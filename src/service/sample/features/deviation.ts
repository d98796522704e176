import { DAY, HOUR } from "../base/instant.js";
import type { NonEmpty, Random } from "../base/random.js";
import { deviation } from "../company/finding-definitions.js";
import { STATUS } from "../company/keys.js";
import { oneOf, people } from "../company/people.js";
import type { Journal } from "../log/journal.js";
import { workMoment } from "../log/work-moment.js";
import type { FeatureDraft } from "./feature-set.js";

const KINDS: NonEmpty<string> = ["position", "position", "height", "height", "tilt", "missing"];
const TOLERANCE = 0.1;

/** A difference between what was built and the design, as measured. */
export function deviationDraft(random: Random, base: Omit<FeatureDraft, "unlogged" | "description">): FeatureDraft {
  const horizontal = Math.round(random.between(0, 0.35) * 1000) / 1000;
  const vertical = Math.round(random.between(-0.25, 0.25) * 1000) / 1000;
  return {
    ...base,
    description: "",
    unlogged: {
      [deviation.kind.id]: random.pick(KINDS),
      [deviation.horizontal.id]: horizontal,
      [deviation.vertical.id]: vertical,
      [deviation.withinTolerance.id]: horizontal <= TOLERANCE && Math.abs(vertical) <= TOLERANCE,
    },
  };
}

/** Detected by the system, judged by a surveyor, then accepted or corrected. */
export function deviationEdits(journal: Journal, random: Random, importedAt: number, isSettled: boolean): void {
  const surveyor = oneOf(random, people.surveyors);
  const judgedAt = workMoment(random, importedAt + random.integer(1, 10) * DAY);
  journal.system(STATUS, "NEW", importedAt);
  journal.person(surveyor, deviation.severity.id, random.integer(1, 5), judgedAt);
  journal.person(surveyor, STATUS, "CONFIRMED", judgedAt);
  if (!isSettled) return;
  const settledAt = workMoment(random, judgedAt + random.integer(5, 60) * DAY);
  const status = random.chance(0.5) ? "ACCEPTED" : "CORRECTED";
  const settled = journal.person(surveyor, STATUS, status, settledAt);
  if (status === "CORRECTED") journal.knockOn(settled, deviation.withinTolerance.id, true);
  else if (random.chance(0.2)) journal.person(surveyor, deviation.severity.id, null, settledAt + HOUR);
}
