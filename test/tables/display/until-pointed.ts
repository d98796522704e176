import type { FrameLocator, Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Waits until a frame receives the pointer, and moves it away again. A browser passes the pointer to a frame by where the
 * frame was last painted: an earlier click goes to the page around it.
 */
export async function untilPointed(page: Page, frame: Pick<FrameLocator, "locator">): Promise<void> {
  const root = frame.locator("html");
  await root.evaluate((element) => {
    const { ownerDocument: document } = element;
    document.addEventListener("pointermove", () => Object.assign(globalThis, { isPointed: true }), { once: true });
  });
  const isPointed = async () => {
    const { x = 0, y = 0 } = (await root.boundingBox()) ?? {};
    // The corner has no marks.
    for (const step of [1, 2]) await page.mouse.move(x + step, y + step);
    const isThere = await root.evaluate(() => Reflect.get(globalThis, "isPointed") === true);
    await page.mouse.move(0, 0);
    return isThere;
  };
  await expect.poll(isPointed).toBe(true);
}
