import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { pageOf } from "./page-of.js";
import { untilPointed } from "./until-pointed.js";
import { watchPage } from "./watch-page.js";

/** An output in a page of `siteframe run --html`. */
export interface OpenOutput {
  readonly page: Page;
  readonly frame: FrameLocator;
  /** Errors of the page and its console, dialogs, and requests to other places. */
  readonly problems: readonly string[];
}

/** How a page is opened. */
export interface OpenOptions {
  /** A folder for the page's file. */
  readonly folder: string;
  /** Width in pixels. Default: 1,000. */
  readonly width?: number;
  /** Prepares the page before it is loaded. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Shows a value in a notebook page, with the page's policy, and waits until its frame is live and receives the pointer. */
export async function openOutput(browser: Browser, value: unknown, options: OpenOptions): Promise<OpenOutput> {
  const { folder, width = 1000, prepare } = options;
  const data = await toMimeBundle(value);
  const file = join(folder, "output.html");
  writeFileSync(file, pageOf(data));
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const { problems } = watchPage(page, ["file:"]);
  await prepare?.(page);
  await page.goto(`file://${file}`);
  const frame = page.frameLocator("iframe");
  await frame.locator("html.live").waitFor();
  await untilPointed(page, frame);
  return { page, frame, problems };
}
