import { existsSync } from "node:fs";

/** Arguments of every Chromium of the tests. */
export const browserArgs: readonly string[] = ["--no-sandbox"];

/** Path of the installed Chromium, if any. @throws if `SITEFRAME_REQUIRE_ALL` is set and Chromium is missing */
export function findBrowser(): string | undefined {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (found) return found;
  const reason = "no Chromium was found. Run .ci/run install";
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return undefined;
}
