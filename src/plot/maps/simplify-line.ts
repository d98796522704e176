/** Coordinates x, y, x, y and so on. */
type Line = readonly number[];

/**
 * A line of fewer vertices that is nowhere further than `tolerance` from the given one (Douglas and Peucker). The first
 * and the last vertex stay.
 */
export function simplifyLine(line: Line, tolerance: number): Line {
  const last = line.length / 2 - 1;
  if (last < 2) return line;
  const kept = new Uint8Array(last + 1);
  kept[0] = kept[last] = 1;
  const open: (readonly [from: number, to: number])[] = [[0, last]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    const { index, distance } = furthest(line, from, to);
    if (distance <= tolerance) continue;
    kept[index] = 1;
    open.push([from, index], [index, to]);
  }
  return line.filter((_, place) => kept[place >> 1] === 1);
}

/** The vertex between two others that is furthest from the segment between them. */
function furthest(line: Line, from: number, to: number): { readonly index: number; readonly distance: number } {
  const at = (place: number) => line[place] ?? 0;
  const [ax, ay] = [at(2 * from), at(2 * from + 1)];
  const [dx, dy] = [at(2 * to) - ax, at(2 * to + 1) - ay];
  const square = dx * dx + dy * dy || 1;
  let [index, most] = [from, -1];
  for (let place = from + 1; place < to; place += 1) {
    const [px, py] = [at(2 * place) - ax, at(2 * place + 1) - ay];
    const share = Math.max(0, Math.min(1, (px * dx + py * dy) / square));
    const distance = Math.hypot(px - share * dx, py - share * dy);
    if (distance > most) [index, most] = [place, distance];
  }
  return { index, distance: most };
}
