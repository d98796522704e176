/** A name that is not used yet, which it is from now on: with as many underscores behind it as that takes. */
export function freeName(name: string, used: Set<string>): string {
  let free = name;
  while (used.has(free)) free = `${free}_`;
  used.add(free);
  return free;
}
