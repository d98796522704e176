import { ArgumentError } from "./errors.js";

/**
 * Loads an optional package that one export needs.
 *
 * @param call the export, as users write it
 * @param range what to install
 * @throws ArgumentError if it is not installed, saying what to install
 */
export async function loadPackage<T>(call: string, name: string, range: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissingPackage(cause, name)) throw cause;
    throw new ArgumentError(`${call} needs the package ${name}, which is not installed.`, {
      cause,
      hint: `Run \`npm install ${name}@${range}\` beside siteframe.`,
    });
  }
}

/** True if the package `name` itself was not found by an import, as opposed to something that it imports. */
export function isMissingPackage(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const { code, message } = error;
  return (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && message.includes(`'${name}'`);
}
