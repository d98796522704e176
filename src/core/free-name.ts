/** Returns an unused name and marks it as used: appends underscores to the name until it is unique. */
export function freeName(name: string, used: Set<string>): string {
  let free = name;
  while (used.has(free)) free = `${free}_`;
  used.add(free);
  return free;
}
