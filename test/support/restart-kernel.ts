import type { Page } from "playwright-core";

/** Restarts the kernel of the notebook in a JupyterLab, and waits until it is idle. */
export async function restartKernel(page: Page): Promise<void> {
  await page.locator('[data-command="notebook:restart-kernel"], [title^="Restart the kernel"]').first().click();
  // Until the restart, the status of the previous kernel is shown.
  const restarted = page.waitForResponse((response) => /\/api\/kernels\/[^/]+\/restart/.test(response.url()));
  await page.locator(".jp-Dialog .jp-mod-accept").click();
  await restarted;
  await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
}
