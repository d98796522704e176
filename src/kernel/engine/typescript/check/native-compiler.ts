import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SiteframeError } from "../../../../core/errors.js";

/** TypeScript's compiler is not installed for this platform. */
export class NoCompilerError extends SiteframeError {
  constructor(platform: string, cause: unknown) {
    super("ERR_NO_COMPILER", `The TypeScript compiler for ${platform} is not installed.`, {
      hint: "Run `npm install --include=optional siteframe`. If your platform is unsupported, run `npm install tslab@1` to use an older compiler.",
      facts: { platform },
      cause,
    });
  }
}

/** A compiler process ended without a result. */
export class CompilerEndedError extends SiteframeError {
  constructor(how: string, cause?: unknown) {
    super("ERR_LANGUAGE_SERVER", `The TypeScript compiler ended ${how}.`, { hint: "Run the cell again.", cause });
  }
}

/** SIGINT of a terminal, or of Jupyter, reaches all processes of a group: an interrupt must not end the compiler. */
export const hasGroups = process.platform !== "win32";

/**
 * Returns the path of TypeScript's compiler for this platform. Its package contains only the program, so that no
 * command is linked into the user's project.
 *
 * @throws NoCompilerError if it is missing
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

/**
 * Runs the compiler in a folder until it ends, which takes about 15 ms, and returns what it prints. It prints errors, too.
 *
 * @throws NoCompilerError if it is missing
 */
export function runCompiler(words: readonly string[], folder: string, input = Buffer.alloc(0)): Buffer {
  const options = { cwd: folder, input, detached: hasGroups, windowsHide: true, maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout, error, signal } = spawnSync(nativeCompiler(), words, options);
  if (error || signal) throw new CompilerEndedError(error ? `with ${error.message}` : `by ${signal}`, error);
  return stdout;
}
