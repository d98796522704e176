import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder for this user's data: inside the system's data folder. */
export function dataFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  const data =
    platform === "win32"
      ? env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local")
      : platform === "darwin"
        ? join(homedir(), "Library", "Application Support")
        : env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
  return join(data, "siteframe");
}

/** Returns the folder for data that can be downloaded again: inside the system's cache folder. */
export function cacheFolder(): string {
  const { env, platform } = process;
  if (platform === "win32") return join(dataFolder(), "Cache");
  const cache =
    platform === "darwin" ? join(homedir(), "Library", "Caches") : env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "siteframe");
}
