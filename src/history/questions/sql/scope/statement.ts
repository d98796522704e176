/** A statement of members of `WITH` and the `SELECT` that reads them. */
export function statement(members: readonly string[], select: string): string {
  return members.length === 0 ? select : `WITH ${members.join(",\n")}\n${select}`;
}
