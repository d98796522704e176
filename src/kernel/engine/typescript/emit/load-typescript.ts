import { createRequire } from "node:module";
import { join } from "node:path";
import { packageFolder } from "../../../../core/package-folder.js";
import type { TypeScript } from "../../cell/notebook-config.js";

/** The last TypeScript that is written in JavaScript, which `scripts/vendor.mjs` has copied. It takes a while to load. */
export function loadTypeScript(): TypeScript {
  const path = join(packageFolder, "dist", "vendor", "typescript", "lib", "typescript.js");
  return createRequire(import.meta.url)(path);
}
