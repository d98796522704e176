import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/** An export, as users write it. */
export interface ExportCall {
  readonly call: string;
  /** Its options. */
  readonly names: readonly string[];
  /** Whether it has nothing to give but a file. */
  readonly needsPath: boolean;
}

/**
 * Checks what an export was given: one object that has its options and no others, and a path that is one.
 *
 * @param given all that it was called with
 * @throws ArgumentError
 */
export function checkExportOptions({ call, names, needsPath }: ExportCall, given: readonly unknown[]): void {
  const [options = {}, ...others] = given;
  const hint = `It takes one object of options: ${names.join(", ")}.`;
  if (typeof options === "string") {
    throw new ArgumentError(`${call}() takes its path as an option, got ${showValue(options)}.`, {
      hint: `Give ${call}({ path: ${showValue(options)} }), with all other options beside it.`,
    });
  }
  if (typeof options !== "object" || options === null || others.length > 0) {
    throw new ArgumentError(`${call}() cannot be called with ${given.map((one) => showValue(one)).join(", ")}.`, {
      hint,
    });
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new ArgumentError(`${call}() has no option ${showValue(unknown)}.`, { hint });
  const path = "path" in options ? options.path : undefined;
  if ((path === undefined && !needsPath) || (typeof path === "string" && path !== "")) return;
  throw new ArgumentError(`${showValue(path)} is no path of a file.`, { hint: `Give ${call}({ path: "…" }).` });
}
