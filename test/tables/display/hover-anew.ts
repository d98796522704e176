import type { Locator, Page } from "playwright-core";

/**
 * Moves the pointer away and onto an element. Repeat it until the page reacts: a browser passes the pointer to a frame by
 * where the frame was last painted.
 */
export async function hoverAnew(page: Page, element: Locator): Promise<void> {
  await page.mouse.move(0, 0);
  await element.hover();
}
