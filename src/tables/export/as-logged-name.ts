/**
 * What the column of values as they came is called that stands behind a column.
 *
 * @param used names that are taken; the new one is added
 */
export function asLoggedName(name: string, used: Set<string>): string {
  let free = `${name} (as logged)`;
  while (used.has(free)) free = `${free}_`;
  used.add(free);
  return free;
}
