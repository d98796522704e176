import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** How features of two layers are matched by place. */
export type JoinOptions =
  /** The centre of a feature lies in a polygon of the other layer. */
  | {
      /** Chooses this way. */
      readonly within: true;
    }
  /** The centres of both are at most `maxMeters` apart; the nearest counts, of equally near ones the lowest id. */
  | {
      /** Chooses this way. */
      readonly nearest: true;
      /** The greatest distance, in metres. */
      readonly maxMeters: number;
    };

/** Complete options: the greatest distance, or undefined for `within`. */
export function resolveJoin(options: JoinOptions): { readonly maxMeters: number | undefined } {
  const given: Partial<Record<string, unknown>> = { ...options };
  if ((given["within"] === true) === (given["nearest"] === true)) {
    throw new ArgumentError(
      `join() takes { within: true } or { nearest: true, maxMeters }, got ${showValue(options)}.`,
    );
  }
  if (given["within"] === true) return { maxMeters: undefined };
  const { maxMeters } = given;
  if (typeof maxMeters === "number" && maxMeters > 0 && Number.isFinite(maxMeters)) return { maxMeters };
  throw new ArgumentError(`maxMeters takes a number above 0, got ${showValue(maxMeters)}.`, {
    hint: "Say how far apart the same object may be in two captures.",
  });
}
