/** True if the package itself was not found, as opposed to something that it imports. */
export function isMissingPackage(error: unknown, specifier: string): boolean {
  if (specifier.startsWith(".") || specifier.startsWith("/") || !(error instanceof Error)) return false;
  const packageName = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  return "code" in error && error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${packageName}'`);
}
