import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { canonicalJson } from "../../core/json.js";
import { type OptionRules, objectOf } from "../../core/options.js";
import { isShare, shareHint } from "../../core/share.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { refuseNeverHad } from "./step-order.js";

/** Rules of credit: the share, from 0 to 1, of its quantity that a feature has earned at each stage. */
export type Credits = Readonly<Record<string, number>>;

/** Option of questions about what was earned. */
export interface CreditOptions {
  /**
   * The share of its quantity that a feature has earned at each value of the column, from 0 to 1: `{ "Piles": 0.3, "Modules":
   * 0.65, "Commissioned": 1 }`. Shares are of the whole, not of the step. Values that it leaves out earn nothing.
   */
  readonly credits?: Credits | undefined;
}

/** What they take. */
export const creditRules: OptionRules<CreditOptions> = {
  credits: objectOf("an object of shares from 0 to 1 by stage"),
};

/** Shares by stage, judged. */
export interface StageCredits {
  /** As they were given. */
  readonly stages: readonly (readonly [stage: string, share: number])[];
  /** The share of a value; undefined for one that the credits leave out. */
  share(value: unknown): number | undefined;
}

/**
 * Judges rules of credit.
 *
 * @throws ArgumentError for shares that are none, and for no stages
 */
export function readCredits(credits: Credits | undefined): StageCredits | undefined {
  if (credits === undefined) return undefined;
  const stages = Object.entries(credits);
  if (stages.length === 0) {
    throw new ArgumentError("credits names no stage.", {
      hint: 'Give some: { credits: { "Piles": 0.3, "Done": 1 } }.',
    });
  }
  for (const [stage, share] of stages) {
    if (isShare(share)) continue;
    throw new ArgumentError(`credits: ${showValue(stage)} earns ${showValue(share)}, and a share is from 0 to 1.`, {
      hint: shareHint(share, "all of the quantity"),
      facts: { option: "credits", value: stage },
    });
  }
  const shares = new Map(stages);
  return { stages, share: (value) => shares.get(stageText(value)) };
}

/** @param call as users write it: `forecast()` */
export function doneAndCredits(call: string): ArgumentError {
  return new ArgumentError(`${call} takes done or credits, and got both.`, {
    hint: "Credits say what each stage earns, the last one too: leave done out.",
    facts: { option: "done" },
  });
}

/** A value as credits name it: texts as they are, others as their JSON. */
function stageText(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}

/**
 * Refuses stages that no feature was ever at and that the column's definition does not offer, and tells of values that earn
 * nothing since the credits leave them out. Where they leave out none, a stage may be still to come.
 *
 * @param logged the values that the column ever had by its log
 * @throws ArgumentError with the stage that was probably meant
 */
export function requireStages(
  column: PropertyColumn,
  credits: StageCredits,
  logged: readonly unknown[],
): readonly Finding[] {
  const had = new Set([...logged, ...column.values].map((value) => stageText(value ?? null)));
  had.delete("null");
  if (had.size === 0) return [];
  const left = uncreditedFinding(column, credits, had);
  if (left.length === 0) return [];
  for (const [stage] of credits.stages) if (!had.has(stage)) refuseNeverHad(column, stage, logged);
  return left;
}

function uncreditedFinding(
  { column, choices }: PropertyColumn,
  { stages: credited }: StageCredits,
  had: ReadonlySet<string>,
): readonly Finding[] {
  const known = new Set(credited.map(([stage]) => stage));
  const stages = [...had].filter((stage) => !known.has(stage)).sort();
  if (stages.length === 0) return [];
  const shown = listOptions(stages, choices.map(stageText), MOST_SHOWN);
  const [are, earn] = stages.length === 1 ? ["is", "earns"] : ["are", "earn"];
  return [
    {
      code: "uncredited-stage",
      message: `${shown} of ${showValue(column)} ${are} not among the credits, and ${earn} nothing.`,
      count: stages.length,
      facts: { column },
    },
  ];
}

const MOST_SHOWN = 5;
