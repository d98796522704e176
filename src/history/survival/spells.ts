import { cellValue, UNKNOWN } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Spans, spansOf } from "../cell/spans.js";
import { setOfValue } from "../cell/value-sets.js";
import type { TimeLimit } from "../time/valid-time.js";

/** A stretch of time from a feature's becoming one of some values until it reached one of others, or was seen last. */
export interface Spell {
  /** Row of the feature. */
  readonly row: number;
  /** When it began, microseconds since 1970; where that is not known the earliest time, or −Infinity. */
  readonly beganUs: number;
  /** Since when it is observed: its beginning, or the first that the log tells of it. */
  readonly seenUs: number;
  readonly endUs: number;
  /** The last microsecond of it: of what is cut at a calendar date the one before `endUs`. */
  readonly lastUs: number;
  /** Whether it ended by reaching a value; else it was still open at its end. */
  readonly isEvent: boolean;
}

const [BEGINS, ENDS] = [0, 1];

/** A spell that has not ended yet. */
type OpenSpell = Pick<Spell, "row" | "beganUs" | "seenUs">;

/**
 * The spells of a column, feature by feature in order of time. Values that neither begin nor end a spell leave it open,
 * and so does coming back to one that begins it.
 *
 * @param limit where open spells are cut
 */
export function spellsOf(
  data: HistoryData,
  column: number,
  { from, to }: { readonly from: readonly unknown[]; readonly to: readonly unknown[] },
  limit: TimeLimit,
): readonly Spell[] {
  const spans = spansOf(data, column);
  const setOf = setOfValue({ from, to });
  const setOfCode = Int8Array.from(data.log.values, setOf);
  const spells: Spell[] = [];
  let open: OpenSpell | undefined;
  const close = (end: TimeLimit, isEvent: boolean) => {
    if (open) spells.push({ ...open, ...end, isEvent });
    open = undefined;
  };
  for (let span = 0; span < spans.length; span += 1) {
    const row = spans.rows[span] ?? 0;
    const fromUs = spans.fromUs[span] ?? 0;
    if (open && open.row !== row) close(limit, false);
    if (fromUs > limit.lastUs) continue;
    const decision = spans.decisions[span] ?? UNKNOWN;
    if (decision === UNKNOWN) continue;
    const set =
      decision < 0
        ? setOf(cellValue(data, row, column, decision))
        : (setOfCode[data.index.valueCodes[decision] ?? 0] ?? -1);
    if (set === BEGINS) open ??= { row, ...beginning(spans, span) };
    else if (set === ENDS) close({ lastUs: fromUs, endUs: fromUs }, true);
  }
  close(limit, false);
  return spells;
}

/** A value that nobody knows the one before of may have been there since the feature was. */
function beginning({ rows, decisions, fromUs }: Spans, span: number): Pick<Spell, "beganUs" | "seenUs"> {
  const seenUs = fromUs[span] ?? 0;
  const isAfterUnknown = rows[span - 1] === rows[span] && decisions[span - 1] === UNKNOWN;
  return { beganUs: isAfterUnknown ? (fromUs[span - 1] ?? seenUs) : seenUs, seenUs };
}
