import { createRequire } from "node:module";
import { ArgumentError } from "../../core/errors.js";
import { isMissingPackage } from "../../core/load-package.js";

type ZeroMQ = typeof import("zeromq");

/**
 * Loads zeromq, an optional package that the kernel alone needs.
 *
 * @throws ArgumentError if it is not installed, saying what to install
 */
export async function loadZeroMQ(load: () => Promise<ZeroMQ> = required): Promise<ZeroMQ> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissingPackage(cause, "zeromq")) throw cause;
    throw new ArgumentError("The kernel needs the package zeromq, which is not installed.", {
      cause,
      hint: "Run `npm install zeromq@6` beside siteframe, with --global where siteframe is installed so.",
    });
  }
}

/** An `import` of CommonJS first searches all of it for names of exports, and the kernel answers so much later. */
async function required(): Promise<ZeroMQ> {
  return createRequire(import.meta.url)("zeromq") as ZeroMQ;
}
