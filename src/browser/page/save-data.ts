import { make, on } from "./elements.js";

/**
 * Copies a string in a way that works in frames without an origin, without permission of the host. Returns false if the
 * browser refuses.
 */
export function toClipboard(text: string): boolean {
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData("text/plain", text);
  };
  on(document, "copy", give, { capture: true, once: true });
  const isDone = document.execCommand("copy");
  document.removeEventListener("copy", give, { capture: true });
  return isDone;
}

/** Saves a file with the browser, if the host allows frames to do so. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
