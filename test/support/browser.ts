import { existsSync } from "node:fs";

/** How every Chromium of the tests is started. */
export const browserArgs: readonly string[] = ["--no-sandbox"];

/** The Chromium of this machine, if it has one; a reason to fail where everything is required. */
export function findBrowser(): string | undefined {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (found) return found;
  const reason = "no Chromium was found. Run .ci/run install";
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return undefined;
}
