/** Copies a text, as a frame without an origin can: a host need not allow it. False where the browser refuses. */
export function toClipboard(text: string): boolean {
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", give, { capture: true, once: true });
  const isDone = document.execCommand("copy");
  document.removeEventListener("copy", give, { capture: true });
  return isDone;
}
