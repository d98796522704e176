/**
 * Names of property columns in a result that has columns of its own. A property that is called like one of those is
 * `properties.<name>`, as in layers.
 *
 * @param own names of the result's own columns
 */
export function propertyNames(names: readonly string[], own: readonly string[]): readonly string[] {
  const taken = new Set([...own, ...names.filter((name) => !own.includes(name))]);
  return names.map((name) => {
    if (!own.includes(name)) return name;
    let free = name;
    while (taken.has(free)) free = `properties.${free}`;
    taken.add(free);
    return free;
  });
}
