import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** A cell of the notebook in a JupyterLab. */
export const labCell = (page: Page, index: number): Locator => page.locator(".jp-Notebook .jp-CodeCell").nth(index);

/** Puts the cursor into a cell. Clicks again if a growing output above the cell received the click. */
export async function enterLabCell(page: Page, index: number): Promise<void> {
  const entered = async () => {
    const editor = labCell(page, index).locator(".cm-content");
    await editor.click();
    return editor.evaluate((element) => element === element.ownerDocument.activeElement);
  };
  await expect.poll(entered).toBe(true);
}

/** Begins to run a cell. */
export async function runLabCell(page: Page, index: number): Promise<void> {
  await enterLabCell(page, index);
  await page.keyboard.press("Control+Enter");
}
