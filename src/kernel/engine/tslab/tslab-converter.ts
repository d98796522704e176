import { createRequire } from "node:module";
import { DependencyError } from "../../../core/errors.js";
import { isMissingPackage } from "../../../core/load-package.js";

const path = "tslab/dist/converter.js";

/**
 * Returns the file of tslab's converter. tslab is an optional package.
 *
 * @throws DependencyError with the command to install it if tslab is missing
 */
export function tslabConverter(find: (path: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return find(path);
  } catch (cause) {
    if (!isMissingPackage(cause, path)) throw cause;
    throw new DependencyError("The engine tslab needs the package tslab, which is not installed.", {
      cause,
      hint: "Run `npm install tslab@1`. Add --global if siteframe is installed globally.",
    });
  }
}
