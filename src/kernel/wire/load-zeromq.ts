import { createRequire } from "node:module";
import { DependencyError } from "../../core/errors.js";
import { isMissingPackage } from "../../core/load-package.js";

type ZeroMQ = typeof import("zeromq");

/**
 * Loads zeromq, an optional package that only the kernel needs.
 *
 * @throws DependencyError with the command to install it if zeromq is missing
 */
export async function loadZeroMQ(load: () => Promise<ZeroMQ> = required): Promise<ZeroMQ> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissingPackage(cause, "zeromq")) throw cause;
    throw new DependencyError("The kernel needs the package zeromq, which is not installed.", {
      cause,
      hint: "Run `npm install zeromq@6`. Add --global if siteframe is installed globally.",
    });
  }
}

/** An `import` of CommonJS first searches it for names of exports, which would delay the kernel's first reply. */
async function required(): Promise<ZeroMQ> {
  return createRequire(import.meta.url)("zeromq") as ZeroMQ;
}
