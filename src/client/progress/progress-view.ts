import type { ResourceName } from "../../api/resources.js";
import type { Effects } from "../../core/effects.js";
import { formatCount } from "../../core/format/format-number.js";
import { belowWhole } from "../../core/share.js";
import type { ReadProgress } from "../read-options.js";
import type { ProgressLine, ProgressScreen, ProgressState } from "./progress-screen.js";

const FIRST_MS = 1000;
const EVERY_MS = 100;

/** Receives progress of a running task. */
interface ProgressView<Progress> {
  readonly update: (progress: Progress) => void;
  readonly end: () => void;
}

/**
 * Shows the progress of a task that takes longer than a second, at most ten times per second.
 *
 * @param stateOf returns the state in words, given the milliseconds since the start
 */
export function progressView<Progress>(
  screen: ProgressScreen,
  { elapsed }: Pick<Effects, "elapsed">,
  stateOf: (progress: Progress, elapsedMs: number) => ProgressState,
): ProgressView<Progress> {
  const start = elapsed();
  let line: ProgressLine | undefined;
  let last: { readonly progress: Progress } | undefined;
  let next = start + FIRST_MS;
  return {
    update(progress) {
      last = { progress };
      const now = elapsed();
      if (now < next) return;
      next = now + EVERY_MS;
      line ??= screen();
      line.show(stateOf(progress, now - start));
    },
    end() {
      if (line && last) line.end(stateOf(last.progress, elapsed() - start));
    },
  };
}

/** `120,000 of 200,000 rows, 146 MB, 3 s`; `120,000 rows, 35 %, 146 MB, 3 s` if the total is unknown. */
export function progressText({ rows, total, share, bytes }: ReadProgress, elapsedMs: number): string {
  const part = share > 0 ? `, ${whole(belowWhole(share * 100, 0))} %` : "";
  const counted = total === undefined ? `${whole(rows)} rows${part}` : `${whole(rows)} of ${whole(total)} rows`;
  return `${counted}, ${whole(bytes / 1e6)} MB, ${whole(elapsedMs / 1000)} s`;
}

function whole(value: number): string {
  return formatCount(Math.round(value));
}

/** Sums up the progress of the parts of a read. */
export class ReadTally {
  readonly #resource: ResourceName;
  readonly #parts: number;
  readonly #report: ((progress: ReadProgress) => void) | undefined;
  readonly #totals = new Map<number, number>();
  #total = 0;
  #rows = 0;
  #bytes = 0;

  /** @param parts count of queries in the read */
  constructor(resource: ResourceName, parts: number, report: ((progress: ReadProgress) => void) | undefined) {
    this.#resource = resource;
    this.#parts = parts;
    this.#report = report;
  }

  /** Adds a received page. */
  page(part: number, bytes: number, rowCount: number): void {
    this.#total += rowCount - (this.#totals.get(part) ?? 0);
    this.#totals.set(part, rowCount);
    this.#bytes += bytes;
  }

  /** Adds rows of the result; negative if a part is read again. */
  rows(count: number): void {
    this.#rows += count;
    const isTotalKnown = this.#totals.size === this.#parts;
    const total = isTotalKnown ? this.#total : undefined;
    const ofKnown = this.#total === 0 ? 1 : Math.min(1, this.#rows / this.#total);
    const share = this.#parts === 0 ? 1 : (this.#totals.size / this.#parts) * ofKnown;
    this.#report?.({ resource: this.#resource, rows: this.#rows, total, share, bytes: this.#bytes });
  }
}
