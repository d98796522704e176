import { randomUUID } from "node:crypto";
import type { ResourceName } from "../../api/resources.js";
import type { Effects } from "../../core/effects.js";
import { systemEffects } from "../../core/effects.js";
import { formatCount, formatPercent } from "../../core/format/format-number.js";
import type { ReadProgress } from "../read-options.js";

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
  const part = share > 0 ? `, ${formatPercent(share * 100, { decimals: 0 })}` : "";
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

/** The parts of a terminal that a bar needs. `process.stderr` has them if `isTTY` is true. */
interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

const CLEAR = "\r\u001b[K";
const BAR = 24;

/** One line on a terminal, removed at the end. */
export function terminalScreen(terminal: Terminal): ProgressScreen {
  return () => ({
    show: (state) => terminal.write(`${CLEAR}${lineOf(state).slice(0, (terminal.columns || 80) - 1)}`),
    end: () => terminal.write(CLEAR),
  });
}

function lineOf({ title, share = 0, text }: ProgressState): string {
  const done = Math.round(share * BAR);
  return `${title} ${"█".repeat(done)}${"░".repeat(BAR - done)} ${text}`;
}

/** Effects of a reader besides the network. Tests pass their own. */
export interface ReaderEffects extends Effects {
  /** Returns the screen for progress, called when the read begins. */
  readonly screen: () => ProgressScreen | undefined;
}

export const readerEffects: ReaderEffects = { ...systemEffects, screen: findScreen };

/**
 * Returns the screen for progress: below the notebook cell, else on a terminal, else undefined.
 * `SITEFRAME_PROGRESS=off` hides progress, so that outputs of unattended notebooks do not depend on timing.
 */
export function findScreen(): ProgressScreen | undefined {
  if (process.env["SITEFRAME_PROGRESS"] === "off") return undefined;
  const display: unknown = Reflect.get(globalThis, "display");
  if (typeof display === "function") return notebookScreen(display as Display);
  return process.stderr.isTTY ? terminalScreen(process.stderr) : undefined;
}

/** The kernel's global `display`: shows a value below the cell, or replaces the value with that id. */
type Display = (value: object, options: { readonly id: string; readonly update: boolean }) => void;

/** An output below the cell that is updated during the read and shows the result at the end. */
export function notebookScreen(display: Display): ProgressScreen {
  return () => {
    const id = randomUUID();
    let isShown = false;
    const show = ({ title, text }: ProgressState, html: string) => {
      display(output(`${title}: ${text}`, html), { id, update: isShown });
      isShown = true;
    };
    return {
      show(state) {
        const { title, share, text } = state;
        // Without a value, the bar only shows activity.
        const value = share ? ` value="${share.toFixed(3)}"` : "";
        const bar = `<progress${value} aria-label="${title}" style="vertical-align: middle"></progress>`;
        show(state, `<div>${title} ${bar} ${text}</div>`);
      },
      end: (state) => show(state, `<div>${state.title}: ${state.text}</div>`),
    };
  };
}

/** The text contains no data: see `ProgressState`. */
function output(text: string, html: string): object {
  return { [Symbol.for("Jupyter.display")]: () => ({ "text/plain": text, "text/html": html }) };
}

/** State of a long task on a screen. Contains no data. */
export interface ProgressState {
  /** Name of the task: `propertyChanges`, `pull`. */
  readonly title: string;
  /** Finished share, from 0 to 1; undefined if unknown. */
  readonly share: number | undefined;
  /** Progress in words. */
  readonly text: string;
}

/** A line that shows progress. */
interface ProgressLine {
  show(state: ProgressState): void;
  /** Shows the last state or removes the line at the end. */
  end(state: ProgressState): void;
}

/** Opens a line. */
export type ProgressScreen = () => ProgressLine;
