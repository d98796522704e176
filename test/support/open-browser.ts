import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import { browserArgs, findBrowser } from "./browser.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of the Chromium that `shared-browser.ts` started. Undefined if the project does not run this global setup. */
    sharedBrowser: string | undefined;
  }
}

/**
 * Returns a browser with its own contexts. Closing it closes only these. Test files share one Chromium, because several of
 * them at once are too slow on two cores.
 *
 * @param args additional arguments, for which another Chromium is started
 */
export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const shared = inject("sharedBrowser");
  if (shared !== undefined && args.length === 0) return chromium.connect(shared);
  return chromium.launch({ executablePath: findBrowser() ?? "", args: [...browserArgs, ...args] });
}
