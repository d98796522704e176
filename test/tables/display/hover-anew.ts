import type { Locator, Page } from "playwright-core";

/**
 * Moves the pointer away and onto an element. To be repeated until something is told: a browser passes the pointer to
 * a frame by where it was painted last, which may be some time ago.
 */
export async function hoverAnew(page: Page, element: Locator): Promise<void> {
  await page.mouse.move(0, 0);
  await element.hover();
}
