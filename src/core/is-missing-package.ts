/** True if the package `name` itself was not found by an import, as opposed to something that it imports. */
export function isMissingPackage(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const { code, message } = error;
  return (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && message.includes(`'${name}'`);
}
