import { jsonMembers } from "./json-members.js";

/**
 * The JSON text of an object with some members replaced or left out. The rest stays as it was written.
 *
 * @param text valid JSON text of an object, without white space between tokens
 * @param changes the new text of a member; undefined leaves it out. A member that is not there is added at the end
 */
export function editMembers(text: string, changes: ReadonlyMap<string, string | undefined>): string {
  const parts: string[] = [];
  const missing = new Map(changes);
  for (const { key, start, end } of jsonMembers(text)) {
    if (!changes.has(key)) parts.push(text.slice(start, end));
    else if (missing.has(key)) parts.push(...memberText(key, changes.get(key)));
    missing.delete(key);
  }
  for (const [key, value] of missing) parts.push(...memberText(key, value));
  return `{${parts.join()}}`;
}

function memberText(key: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${JSON.stringify(key)}:${value}`];
}
