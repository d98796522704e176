/** Progress of work that the words of a value express. */
export type Meaning = "step" | "complete" | "closed" | "trouble";

/** Words that negate or weaken the following word: `NOT_COMPLETE`, `partly done`, `ready to close`. */
const hedges = /\b(not|no|un|without|never|partly|partially|half|nearly|almost|ready|to be)\b/;

const troubleWords =
  "blocked|on hold|held|stopped|halted|suspended|rejected|refused|declined|failed|failure|failing|overdue|delayed|late|disputed|non ?compliant|non ?conforming|with (?:\\w+ )?(?:problems?|issues?|faults?|defects?)|(?:not|non) (?:accepted|approved|ok)";

const closedWords = "closed|done|resolved|solved|fixed|cancell?ed|archived|withdrawn|dismissed|void|obsolete";

const completeWords =
  "complete|completed|commissioned|built|installed|finished|accepted|approved|handed over|energi[sz]ed|operational|in operation";

/** Only for whole values: in longer ones these words describe an object, `Broken glass`, `Clear vegetation`. */
const badWords = "bad|nok|not ok|faulty|defective|damaged|broken|invalid|unsafe|expired";
const goodWords = "ok|okay|good|pass|passed|clear|cleared|compliant|conforming|valid";

const anywhere = (words: string) => new RegExp(`\\b(?:${words})\\b`);
const alone = (words: string) => new RegExp(`^(?:${words})$`);

const trouble = new RegExp(`${anywhere(troubleWords).source}|${alone(badWords).source}`);
const closed = anywhere(closedWords);
const complete = new RegExp(`${anywhere(completeWords).source}|${alone(goodWords).source}`);
const ends = alone(`${closedWords}|${completeWords}`);
const fails = alone(`${troubleWords}|${badWords}`);

/** Whole values for work that begins or is in progress. */
const underWay =
  /^(open|re ?opened|new|draft|planned|scheduled|pending|waiting|assigned|submitted|to ?do|backlog|not started|not begun|started|begun|in progress|in work|ongoing|active|under way|under construction|in review|under review|ready)$/;

/** The progress that a value expresses, in any spelling: `ON_HOLD`, `On hold`, `on-hold` and `OnHold` are the same. */
export function meaningOf(label: string): Meaning {
  const words = wordsOf(label);
  const isHedged = hedges.test(words);
  if (trouble.test(words) && (!isHedged || /\b(not|non) (accepted|approved|ok)\b/.test(words))) return "trouble";
  if (isHedged) return "step";
  if (closed.test(words)) return "closed";
  return complete.test(words) ? "complete" : "step";
}

/** Whether a whole value expresses trouble, independent of the other values. */
export function saysTrouble(label: string): boolean {
  return fails.test(wordsOf(label));
}

/** Whether a whole value is work that begins or is in progress, and so never the end. */
export function isUnderWay(label: string): boolean {
  return underWay.test(wordsOf(label));
}

/**
 * Whether values describe a process by themselves: only an end of work (`CLOSED`, `COMMISSIONED`), several values for
 * work that begins or is in progress, or only verdicts (`passed`, `failed`).
 */
export function nameProcess(labels: readonly string[]): boolean {
  const isVerdict = (label: string) => meaningOf(label) !== "step" || isUnderWay(label);
  const begun = labels.filter(isUnderWay).length;
  return (
    begun > 1 ||
    labels.some((label) => ends.test(wordsOf(label))) ||
    (labels.length > 1 && labels.every(isVerdict)) ||
    (begun === 1 && labels.some((label) => ["closed", "complete"].includes(meaningOf(label))))
  );
}

/** Stages of work, from begin to end; other values come after the begin, and trouble after them. */
const course: readonly RegExp[] = [
  /^(backlog|draft|new|to ?do|planned|not started|not begun)$/,
  /^(open|re ?opened|submitted|scheduled|pending|waiting|ready)$/,
  /^assigned$/,
  /^(started|begun|in progress|in work|ongoing|active|under way|under construction)$/,
];
const [anyStep, reviewed] = [course.length, /\breview\b/];

/** Labels in the order of work by their words, if they describe a process. Labels of one stage keep their order. */
function byCourse(labels: readonly string[]): readonly string[] | undefined {
  const placeOf = (label: string): number => {
    const words = wordsOf(label);
    const index = course.findIndex((line) => line.test(words));
    if (index >= 0) return index;
    const meaning = meaningOf(label);
    if (meaning === "step") return reviewed.test(words) ? anyStep + 2 : anyStep;
    if (meaning === "trouble") return anyStep + 1;
    if (meaning === "complete") return anyStep + 3;
    return /\b(closed|archived)\b/.test(words) ? anyStep + 5 : anyStep + 4;
  };
  return nameProcess(labels) ? labels.toSorted((a, b) => placeOf(a) - placeOf(b)) : undefined;
}

function wordsOf(label: string): string {
  const apart = label.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return apart
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Scales of importance, lowest first; words of one line are synonyms. */
const ranks: readonly (readonly string[])[] = [
  ["trivial", "lowest", "very low"],
  ["low", "minor"],
  ["medium", "normal", "moderate"],
  ["high", "major"],
  ["highest", "very high", "urgent", "critical", "severe", "blocker"],
];

/** Labels from the least to the most important, if all of them express importance. */
export function byImportance(labels: readonly string[]): readonly string[] | undefined {
  const rankOf = (label: string) => ranks.findIndex((words) => words.includes(wordsOf(label)));
  return labels.length > 0 && labels.every((label) => rankOf(label) >= 0)
    ? labels.toSorted((a, b) => rankOf(a) - rankOf(b))
    : undefined;
}

/** Labels in the order that their words express, if any: of importance, or of work. */
export function byWords(labels: readonly string[]): readonly string[] | undefined {
  return byImportance(labels) ?? byCourse(labels.toSorted());
}
