import type { Page } from "playwright-core";

/** Unwanted events of a page: errors in its console and scripts, dialogs, and requests to other places. */
export interface Watch {
  readonly problems: readonly string[];
}

/** @param own beginnings of addresses that the page may request */
export function watchPage(page: Page, own: readonly string[]): Watch {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (![...own, "data:", "blob:", "about:srcdoc"].some((start) => url.startsWith(start)))
      problems.push(`requests ${url}`);
  });
  page.on("dialog", (dialog) => {
    problems.push(`opens a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { problems };
}
