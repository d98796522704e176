import { ArgumentError } from "../../../core/errors.js";
import { type OptionRules, text, texts } from "../../../core/options.js";
import type { HistoryData } from "../../cell/history-data.js";
import { chooseColumn, chooseColumns } from "../../columns/choose-columns.js";
import { type CreditOptions, creditRules, readCredits, type StageCredits } from "../../columns/credits.js";
import { type WeightOptions, type Weights, weightRules } from "../../columns/weights.js";

/** Options of `history.panel()`. */
export interface PanelOptions extends WeightOptions, CreditOptions {
  /** Property columns to return. Default: all. */
  readonly columns?: readonly string[];
  /** Column of `credits`. Default: the only one of `columns`. */
  readonly stage?: string;
}

/** Rules for the options. */
export const panelRules: OptionRules<PanelOptions> = {
  columns: texts,
  stage: text,
  ...weightRules,
  ...creditRules,
};

/** The columns of panel() before those of properties. */
export const panelColumns = ["date", "id", "visible_id"];

/** The requested columns of a panel, with its arguments checked and resolved. */
export interface PanelPlan {
  /** Indices of the returned columns. */
  readonly chosen: readonly number[];
  readonly weights: Weights | undefined;
  readonly staged: StagedCredits | undefined;
}

/** Credits, and the column whose values earn them. */
interface StagedCredits {
  readonly column: number;
  readonly credits: StageCredits;
}

/** @throws ArgumentError for unknown columns, and as `stagedCredits()` */
export function panelPlan(
  data: Pick<HistoryData, "names">,
  options: PanelOptions,
  weights: Weights | undefined,
): PanelPlan {
  return { chosen: chooseColumns(data.names, options.columns), weights, staged: stagedCredits(data, options) };
}

/** @throws ArgumentError if the column of the credits is ambiguous, and for a stage without credits */
function stagedCredits(
  { names }: Pick<HistoryData, "names">,
  { credits, stage, columns }: PanelOptions,
): StagedCredits | undefined {
  const read = readCredits(credits);
  const name = stage ?? (columns?.length === 1 ? columns[0] : undefined);
  if (!read && stage === undefined) return undefined;
  if (read && name !== undefined) return { column: chooseColumn(names, name), credits: read };
  throw new ArgumentError(
    read ? "panel(): `credits` needs `stage`, the column of the stages." : "panel(): `stage` needs `credits`.",
    { hint: 'Pass both: { stage: "STATUS", credits: { "Piles": 0.3, "Done": 1 } }.', facts: { option: "stage" } },
  );
}

/** Number of columns computed per row; a weight takes the space of two columns of codes. */
export function panelWidth({ chosen, weights, staged }: PanelPlan): number {
  return Math.max(1, chosen.length + (weights ? 3 : 0) + (staged ? 1 : 0));
}

/** Names of the columns that weights and credits add. */
export function addedNames({ weights, staged }: PanelPlan): readonly string[] {
  return [...(weights ? ["weight", "unit"] : []), ...(staged ? ["earned"] : [])];
}
