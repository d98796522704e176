import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folder of Siteframe's `package.json`. */
export const packageFolder: string = dirname(createRequire(import.meta.url).resolve("siteframe/package.json"));

/** Siteframe's version. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}
