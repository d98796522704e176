import type MagicString from "magic-string";
import { importName, metaName, resumeName } from "../../cell/wrap-script.js";
import type { Site } from "../analyze/code-sites.js";

/** Writes what a script cannot say as a module does: imports become calls, and each `await` asks whether to go on. */
export function rewriteSites(text: MagicString, sites: readonly Site[]): void {
  for (const { kind, start, end } of sites) {
    if (kind === "import") text.update(start, start + "import".length, importName);
    else if (kind === "importMeta") text.update(start, end, metaName);
    else if (kind === "await") text.appendRight(start, `${resumeName}(`).prependLeft(end, ")");
    else text.appendRight(start, `{ ${resumeName}(); `).prependLeft(end, " }");
  }
}
