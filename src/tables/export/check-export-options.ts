import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import type { OptionRules } from "../../core/option-rules.js";
import { showValue } from "../../core/show-value.js";

/** An export, as users write it. */
export interface ExportCall<Options> {
  readonly call: string;
  readonly rules: OptionRules<Options>;
  /** Whether it has nothing to give but a file. */
  readonly needsPath: boolean;
}

/**
 * Checks what an export was given: one object that has its options and no others, and a path that is one.
 *
 * @param given all that it was called with
 * @throws ArgumentError
 */
export function checkExportOptions<Options extends object>(
  { call, rules, needsPath }: ExportCall<Options>,
  given: readonly [Options | undefined, ...unknown[]],
): void {
  const [options, ...others] = given;
  if (typeof options === "string") {
    throw new ArgumentError(`${call} takes its path as an option, got ${showValue(options)}.`, {
      hint: `Give ${call.replace("()", "")}({ path: ${showValue(options)} }), with all other options beside it.`,
    });
  }
  checkOptions(call, options, rules);
  if (others.length > 0) {
    throw new ArgumentError(`${call} cannot be called with ${given.map((one) => showValue(one)).join(", ")}.`, {
      hint: `It takes one object of options: ${Object.keys(rules).join(", ")}.`,
    });
  }
  const path = options && "path" in options ? options.path : undefined;
  if ((path === undefined && !needsPath) || (typeof path === "string" && path !== "")) return;
  throw new ArgumentError(`${showValue(path)} is no path of a file.`, {
    hint: `Give ${call.replace("()", "")}({ path: "…" }).`,
  });
}

/** A file of tables needs a column. */
export function noColumns(call: string): ArgumentError {
  return new ArgumentError(`${call}: the table has no columns.`, { hint: "Write CSV, or give it a column." });
}
