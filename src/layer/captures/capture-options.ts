import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import { list, numeric, type OptionRules, text } from "../../core/option-rules.js";
import { showValue } from "../../core/show-value.js";

/** Which features are marked as fixed. */
export interface FixedOption {
  /** The column that says it: `"Repair"`. */
  readonly column: string;
  /** What it says of them; of an OPTION property codes or labels. By default what reads `FIXED`, in whatever case. */
  readonly values?: readonly unknown[];
}

/** Options of `compareCaptures()`. */
export interface CaptureOptions {
  /** How far apart the same thing may lie in two captures, in metres. */
  readonly maxDistance: number;
  /** The column that names the feature of an earlier capture that is the same thing: `"Previous finding"`. */
  readonly relation?: string;
  /**
   * Which features are marked as fixed. By default those whose `STATUS` says `FIXED`, in whatever case; without that column,
   * those of the first OPTION property that has such a choice.
   */
  readonly fixed?: FixedOption;
  /** What the captures are called, such as their dates: one for each layer. Default: 1, 2, 3, … */
  readonly labels?: readonly (string | number)[];
}

const captureRules: OptionRules<CaptureOptions> = {
  maxDistance: numeric,
  relation: text,
  fixed: {
    takes: "{ column, values }, of which values may be left out",
    accepts: (value) => {
      const { column, values, ...rest } = Object(value) as Readonly<Record<string, unknown>>;
      const areValues = values === undefined || (Array.isArray(values) && values.length > 0);
      return text.accepts(column) && areValues && Object.keys(rest).length === 0;
    },
  },
  labels: list,
};

/** @throws ArgumentError for layers and options that it cannot compare by */
export function resolveCaptures(layers: unknown, options: CaptureOptions): Required<Pick<CaptureOptions, "labels">> {
  checkOptions("compareCaptures()", options, captureRules);
  const isLayer = (layer: unknown) => {
    const { table, schema } = Object(layer) as Readonly<Record<string, unknown>>;
    return table !== undefined && Array.isArray(schema);
  };
  if (!Array.isArray(layers) || layers.length < 2 || !layers.every(isLayer)) {
    throw new ArgumentError(`compareCaptures() takes two layers or more, got ${showValue(layers)}.`, {
      hint: "Give one layer for each capture, in the order of time.",
    });
  }
  const { maxDistance, labels } = { ...options };
  if (!(maxDistance > 0)) {
    throw new ArgumentError(`maxDistance takes a number of metres above 0, got ${showValue(maxDistance)}.`, {
      hint: "Say how far apart the same thing may lie in two captures.",
    });
  }
  if (labels === undefined) return { labels: layers.map((_, place) => place + 1) };
  if (labels.length === layers.length && new Set(labels).size === labels.length) return { labels };
  throw new ArgumentError(
    `labels takes one name for each layer, no two alike: got ${labels.length} for ${layers.length} layers.`,
    { hint: "Leave them out to have captures counted from 1.", facts: { labels } },
  );
}
