import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where sessions are kept. `SITEFRAME_HISTORY` names another folder, or is `off`. */
export function historyFolder(env: Environment = process.env, platform = process.platform): string | undefined {
  const chosen = env["SITEFRAME_HISTORY"];
  if (chosen === "off") return undefined;
  if (chosen) return chosen;
  const data =
    platform === "win32"
      ? env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local")
      : platform === "darwin"
        ? join(homedir(), "Library", "Application Support")
        : env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
  return join(data, "siteframe", "history");
}
