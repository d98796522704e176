import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

/** The built program. */
export const program = "dist/cli/main.js";

/** The exit code and outputs of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program with the address and key of `env` only. */
export function runSiteframe(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const { SITEFRAME_BASE_URL: _url, SITEFRAME_API_KEY: _key, ...rest } = process.env;
  return ended(spawn(process.execPath, [program, ...args], { env: { ...rest, ...env } }));
}

/** Waits for the end of a command. */
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

/** Options of Node that make packages missing. */
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
