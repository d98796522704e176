import type { Page } from "playwright-core";

/** Restarts the kernel of the notebook that a JupyterLab shows, and waits until it is there. */
export async function restartKernel(page: Page): Promise<void> {
  await page.locator('[data-command="notebook:restart-kernel"], [title^="Restart the kernel"]').first().click();
  // Until the server has restarted it, the status of the kernel before is shown.
  const restarted = page.waitForResponse((response) => /\/api\/kernels\/[^/]+\/restart/.test(response.url()));
  await page.locator(".jp-Dialog .jp-mod-accept").click();
  await restarted;
  await page.getByText("TypeScript (Siteframe) | Idle").waitFor();
}
