import { findScreen, progressView } from "../../client/progress/progress-view.js";
import { counted } from "../../core/counted.js";
import { systemEffects } from "../../core/effects.js";
import type { PullProgress } from "./pull-context.js";
import type { PullReport } from "./pull-options.js";

/** Progress of a pull in words. */
export function pullProgressText({ stage, rows, total, toGo }: PullProgress): string {
  const of = total === undefined ? "" : ` of ${counted(total)}`;
  if (!toGo) return `${stage}: ${counted(rows)}${of}`;
  const features = toGo.rows > 0 ? `${counted(toGo.rows)} features, ` : "";
  const left = toGo.ms === undefined ? "" : `, about ${durationText(toGo.ms)}`;
  return `${stage}: ${counted(rows)}${of}. Remaining: ${features}${counted(toGo.requests)} requests${left}`;
}

/** Progress display of a pull. */
export interface PullView {
  readonly update: (progress: PullProgress) => void;
  /** Ends the display, with the report, or without it after a failure. */
  end(report?: PullReport): void;
}

/**
 * Shows a pull that takes longer than a second, in the same way as reads.
 *
 * @param isWanted whether progress is enabled
 * @returns undefined without a screen
 */
export function openPullView(isWanted: boolean): PullView | undefined {
  const screen = isWanted ? findScreen() : undefined;
  if (!screen) return undefined;
  const view = progressView<PullProgress | PullReport>(screen, systemEffects, (state, elapsedMs) => {
    const took = `${durationText(elapsedMs)}`;
    if ("generation" in state) return { title: "pull", share: 1, text: `${reportText(state)}, ${took}` };
    const left = state.toGo?.ms;
    const share = left === undefined ? undefined : elapsedMs / (elapsedMs + left);
    return { title: "pull", share, text: `${pullProgressText(state)}; ${took} so far` };
  });
  return {
    update: view.update,
    end(report) {
      if (report) view.update(report);
      view.end();
    },
  };
}

function reportText({ generation, rows }: PullReport): string {
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return `generation ${generation} with ${counted(all)} rows`;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
