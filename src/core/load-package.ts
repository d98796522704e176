import { DependencyError } from "./errors.js";

/**
 * Loads an optional package that one export needs.
 *
 * @param call the export, as users write it
 * @param range the version to install
 * @throws DependencyError with the command to install it if the package is missing
 */
export async function loadPackage<T>(call: string, name: string, range: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissingPackage(cause, name)) throw cause;
    throw new DependencyError(`${call} needs the package ${name}, which is not installed.`, {
      cause,
      hint: `Run \`npm install ${name}@${range}\`.`,
    });
  }
}

/** True if the package `name` itself is missing, rather than one of its imports. */
export function isMissingPackage(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const { code, message } = error;
  return (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && message.includes(`'${name}'`);
}
