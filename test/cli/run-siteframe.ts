import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

/** The program, as it was built. */
export const program = "dist/cli/main.js";

/** How a command ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program without this machine's service: an address and a key are those of `env`. */
export function runSiteframe(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const { SITEFRAME_BASE_URL: _url, SITEFRAME_API_KEY: _key, ...rest } = process.env;
  return ended(spawn(process.execPath, [program, ...args], { env: { ...rest, ...env } }));
}

/** What a command has said when it has ended. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })));
}

/** Options of Node for a machine on which packages are not installed. */
export function withoutPackages(...names: readonly string[]): string {
  const hooks = `export function resolve(specifier, context, next) {
    const name = specifier.split("/")[0];
    if (!${JSON.stringify(names)}.includes(name)) return next(specifier, context);
    const error = new Error(\`Cannot find package '\${name}' imported from \${context.parentURL}\`);
    throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  return `--import ${asUrl(`import { register } from "node:module"; register(${JSON.stringify(asUrl(hooks))});`)}`;
}
