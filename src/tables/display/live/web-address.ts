/** Whether a text is a whole address of the web: what runs, or is a file of the reader's, is none. */
export function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
