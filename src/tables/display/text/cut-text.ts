/** The start of `text`, followed by a note when something was left out. */
export function cutText(text: string, limit = 50_000): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}\n… ${text.length - limit} more characters not shown`;
}
