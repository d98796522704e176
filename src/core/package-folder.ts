import { createRequire } from "node:module";
import { dirname } from "node:path";

/** Where Siteframe is installed: the folder of its `package.json`. */
export const packageFolder: string = dirname(createRequire(import.meta.url).resolve("siteframe/package.json"));
