import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import { anything } from "../../core/option-rules.js";
import { showValue } from "../../core/show-value.js";

/** How features of two layers are matched by place. */
export type JoinOptions =
  /** The centre of a feature lies in a polygon of the other layer. */
  | {
      /** What counts as a match. */
      readonly by: "within";
    }
  /** The centres of both are at most `maxMeters` apart; the nearest counts, of equally near ones the lowest id. */
  | {
      /** What counts as a match. */
      readonly by: "nearest";
      /** The greatest distance, in metres. */
      readonly maxMeters: number;
    };

const joinRules = { by: anything, maxMeters: anything };

/** Complete options: the greatest distance, or undefined for `within`. */
export function resolveJoin(options: JoinOptions): { readonly maxMeters: number | undefined } {
  const { by, maxMeters }: Partial<Record<string, unknown>> = { ...options };
  if (by !== "within" && by !== "nearest") {
    throw new ArgumentError(
      `join() takes { by: "within" } or { by: "nearest", maxMeters }, got ${showValue(options)}.`,
    );
  }
  checkOptions<object>("join()", options, joinRules);
  if (by === "within" && maxMeters === undefined) return { maxMeters };
  if (by === "within") {
    throw new ArgumentError(`A join by "within" has no distance, got maxMeters ${showValue(maxMeters)}.`, {
      hint: 'Leave maxMeters out, or join by "nearest".',
    });
  }
  if (typeof maxMeters === "number" && maxMeters > 0 && Number.isFinite(maxMeters)) return { maxMeters };
  throw new ArgumentError(`maxMeters takes a number above 0, got ${showValue(maxMeters)}.`, {
    hint: "Say how far apart the same object may be in two captures.",
  });
}
