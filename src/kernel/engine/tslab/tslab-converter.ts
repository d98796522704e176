import { createRequire } from "node:module";
import { ArgumentError } from "../../../core/errors.js";
import { isMissingPackage } from "../../../core/load-package.js";

const path = "tslab/dist/converter.js";

/**
 * The file of tslab's converter. tslab is an optional package.
 *
 * @throws ArgumentError if it is not installed, saying what to install
 */
export function tslabConverter(find: (path: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return find(path);
  } catch (cause) {
    if (!isMissingPackage(cause, path)) throw cause;
    throw new ArgumentError("The engine tslab needs the package tslab, which is not installed.", {
      cause,
      hint: "Run `npm install tslab@1` beside siteframe, with --global where siteframe is installed so.",
    });
  }
}
