import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { browserArgs, findBrowser } from "./browser.js";

/** Starts the Chromium that all test files of a project share. `openBrowser()` connects to it. */
export default async function shareBrowser(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const executablePath = findBrowser();
  if (executablePath === undefined) return undefined;
  const server = await chromium.launchServer({ executablePath, args: [...browserArgs] });
  project.provide("sharedBrowser", server.wsEndpoint());
  return () => server.close();
}
