/** Whether a format's content is any JSON value, as Jupyter's notebook format has it; that of all others is text. */
export function isJsonFormat(mime: string): boolean {
  return /^application\/(.*\+)?json$/.test(mime);
}
