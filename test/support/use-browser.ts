import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser } from "./open-browser.js";

/** A page and everything that went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the page, messages of its console except warnings, and requests to other servers. */
  readonly problems: string[];
}

/** A browser for the tests of a `describe`, which closes it. Returns a function that opens a page in it. */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<WatchedPage> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  return async (options = {}) => {
    const page = await browser.newPage(options);
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() !== "warning") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      if (!/^(file|data|about|blob):/.test(request.url())) problems.push(request.url());
    });
    return { page, problems };
  };
}

/** The frame of a page's only output, once its script runs. */
export async function liveFrame(page: Page): Promise<Frame> {
  const frame = page.frames()[1];
  if (!frame) throw new Error("The page has no frame.");
  await frame.locator("html.live").waitFor({ state: "attached" });
  return frame;
}
