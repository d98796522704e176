import { make } from "./elements.js";

/** Has the browser save a file, where the host lets a frame do so. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
