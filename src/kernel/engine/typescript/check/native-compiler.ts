import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SiteframeError } from "../../../../core/errors.js";

/** No program of TypeScript's is installed for this platform. */
export class NoCompilerError extends SiteframeError {
  constructor(platform: string, cause: unknown) {
    super("ERR_NO_COMPILER", `There is no TypeScript compiler for ${platform}.`, {
      hint: "Run `npm install --include=optional siteframe`. Where there is none for your platform, `npm install tslab@1` brings an older one.",
      facts: { platform },
      cause,
    });
  }
}

/**
 * The program of TypeScript's compiler for this platform. It is of the package that holds nothing else, so that no
 * command is linked into the user's project.
 *
 * @throws NoCompilerError if there is none
 */
export function nativeCompiler(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`@typescript/typescript-${platform}/package.json`);
    return join(dirname(manifest), "lib", process.platform === "win32" ? "tsc.exe" : "tsc");
  } catch (error) {
    throw new NoCompilerError(platform, error);
  }
}
