import type { Page } from "playwright-core";

/** What a page has done that it should not: errors in its console and its scripts, and requests to anywhere else. */
export interface Watch {
  readonly problems: readonly string[];
}

/**
 * Watches a page from now on.
 *
 * @param own what addresses that it may ask begin with
 */
export function watchPage(page: Page, own: readonly string[]): Watch {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (![...own, "data:", "blob:", "about:srcdoc"].some((start) => url.startsWith(start)))
      problems.push(`asks ${url}`);
  });
  page.on("dialog", (dialog) => {
    problems.push(`says ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { problems };
}
