import { join } from "node:path";
import { dataFolder } from "../../core/data-folder.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where sessions are kept. `SITEFRAME_HISTORY` names another folder, or is `off`. */
export function historyFolder(env: Environment = process.env, platform = process.platform): string | undefined {
  const chosen = env["SITEFRAME_HISTORY"];
  if (chosen === "off") return undefined;
  if (chosen) return chosen;
  return join(dataFolder(env, platform), "history");
}
