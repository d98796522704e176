/** The libraries of the language that the running Node has, as TypeScript calls them. */
export function languageLibraries(version: string = process.versions.node): readonly string[] {
  const major = Number.parseInt(version, 10);
  const always = ["es2023", "esnext.disposable", "esnext.decorators", "esnext.intl"];
  if (major < 22) return always;
  const since22 = ["es2024", "es2025.collection", "es2025.iterator", "esnext.array"];
  return [...always, ...since22, ...(major < 24 ? [] : ["es2025", "esnext.error"])];
}
