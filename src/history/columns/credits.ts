import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { canonicalJson } from "../../core/json.js";
import { type OptionRules, objectOf } from "../../core/options.js";
import { isShare, shareHint } from "../../core/share.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { refuseNeverHad } from "./step-order.js";

/** Rules of credit: the share of its quantity, from 0 to 1, that a feature has earned at each stage. */
export type Credits = Readonly<Record<string, number>>;

/** Option of questions about earned amounts. */
export interface CreditOptions {
  /**
   * The share of its quantity that a feature has earned at each value of the column, from 0 to 1:
   * `{ "Piles": 0.3, "Modules": 0.65, "Commissioned": 1 }`. Shares are cumulative. Omitted values earn nothing.
   */
  readonly credits?: Credits | undefined;
}

/** Rules for the option. */
export const creditRules: OptionRules<CreditOptions> = {
  credits: objectOf("an object of shares from 0 to 1 by stage"),
};

/** Checked shares by stage. */
export interface StageCredits {
  /** The shares as given. */
  readonly stages: readonly (readonly [stage: string, share: number])[];
  /** The share of a value; undefined if the credits omit it. */
  share(value: unknown): number | undefined;
}

/**
 * Checks rules of credit.
 *
 * @throws ArgumentError for invalid shares, and for an empty object
 */
export function readCredits(credits: Credits | undefined): StageCredits | undefined {
  if (credits === undefined) return undefined;
  const stages = Object.entries(credits);
  if (stages.length === 0) {
    throw new ArgumentError("`credits` is empty.", {
      hint: 'List the stages with their shares: { credits: { "Piles": 0.3, "Done": 1 } }.',
    });
  }
  for (const [stage, share] of stages) {
    if (isShare(share)) continue;
    throw new ArgumentError(
      `credits: invalid share ${showValue(share)} of ${showValue(stage)}. Shares must be from 0 to 1.`,
      {
        hint: shareHint(share, "all of the quantity"),
        facts: { option: "credits", value: stage },
      },
    );
  }
  const shares = new Map(stages);
  return { stages, share: (value) => shares.get(stageText(value)) };
}

/** @param call the call as users write it: `forecast()` */
export function doneAndCredits(call: string): ArgumentError {
  return new ArgumentError(`${call}: \`done\` and \`credits\` cannot be combined.`, {
    hint: "Remove `done`: `credits` has the share of every stage, including the last one.",
    facts: { option: "done" },
  });
}

/** The spelling of a value in credits: strings as they are, others as JSON. */
function stageText(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

/**
 * Rejects stages that no feature ever had and that the column's definition does not offer, and returns diagnostics for
 * values that earn nothing because the credits omit them. If the credits omit no value, unknown stages are allowed,
 * because features may reach them later.
 *
 * @param logged the values that the column ever had by its log
 * @throws ArgumentError with the stage that was probably meant
 */
export function requireStages(
  column: PropertyColumn,
  credits: StageCredits,
  logged: readonly unknown[],
): readonly Diagnostic[] {
  const had = new Set([...logged, ...column.values].map((value) => stageText(value ?? null)));
  had.delete("null");
  if (had.size === 0) return [];
  const left = uncreditedDiagnostic(column, credits, had);
  if (left.length === 0) return [];
  for (const [stage] of credits.stages) if (!had.has(stage)) refuseNeverHad(column, stage, logged);
  return left;
}

function uncreditedDiagnostic(
  { column, choices }: PropertyColumn,
  { stages: credited }: StageCredits,
  had: ReadonlySet<string>,
): readonly Diagnostic[] {
  const creditedStages = new Set(credited.map(([stage]) => stage));
  const stages = [...had].filter((stage) => !creditedStages.has(stage)).sort();
  if (stages.length === 0) return [];
  const listed = listOptions(stages, choices.map(stageText), MOST_SHOWN);
  const [are, earn] = stages.length === 1 ? ["is", "earns"] : ["are", "earn"];
  return [
    withSeverity({
      code: "stage-uncredited",
      message: `${listed} of ${showValue(column)} ${are} missing from \`credits\` and ${earn} nothing.`,
      count: stages.length,
      facts: { column },
    }),
  ];
}

const MOST_SHOWN = 5;
