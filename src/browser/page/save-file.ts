import { make } from "./elements.js";

/** Saves a file with the browser, if the host allows frames to do so. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
