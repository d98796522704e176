/** Jupyter counts characters of a cell in Unicode code points, JavaScript in UTF-16 units. */
export function unitOffset(code: string, codePoints: number): number {
  let units = 0;
  for (let left = codePoints; left > 0 && units < code.length; left--) {
    units += (code.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/** The way back of `unitOffset`. */
export function codePointOffset(code: string, units: number): number {
  return [...code.slice(0, units)].length;
}
