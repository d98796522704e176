import { on } from "./elements.js";
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
