import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The folder of Siteframe's `package.json`. */
export const packageFolder: string = dirname(createRequire(import.meta.url).resolve("siteframe/package.json"));
