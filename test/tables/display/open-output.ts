import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { pageOf } from "./page-of.js";
import { untilPointed } from "./until-pointed.js";

/** An output in a page of `siteframe run --html`. */
export interface OpenOutput {
  readonly page: Page;
  readonly frame: FrameLocator;
  /** Errors of the page and its console, and every request to somewhere else. */
  readonly problems: readonly string[];
}

/** How a page is opened. */
export interface OpenOptions {
  /** A folder for the page's file. */
  readonly folder: string;
  /** Pixels; 1,000 by default. */
  readonly width?: number;
  /** What is to be done with the page before it is read. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Shows a value as a notebook page does, with that page's policy, and waits until its frame is live and gets the pointer. */
export async function openOutput(browser: Browser, value: unknown, options: OpenOptions): Promise<OpenOutput> {
  const { folder, width = 1000, prepare } = options;
  const data = await toMimeBundle(value);
  const file = join(folder, "output.html");
  writeFileSync(file, pageOf(data));
  const problems: string[] = [];
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|about|blob):/.test(request.url())) problems.push(request.url());
  });
  await prepare?.(page);
  await page.goto(`file://${file}`);
  const frame = page.frameLocator("iframe");
  await frame.locator("html.live").waitFor();
  await untilPointed(page, frame);
  return { page, frame, problems };
}
