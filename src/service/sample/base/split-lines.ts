import { itemAt } from "./item-at.js";
import type { Metres } from "./local-grid.js";
import { distance, lengthOf } from "./shapes.js";

/** Splits lines into exactly `count` pieces of about the same length; with fewer pieces than lines, the last lines are left out. */
export function splitLines(lines: readonly (readonly Metres[])[], count: number): readonly (readonly Metres[])[] {
  const used = lines.slice(0, count);
  const total = used.reduce((sum, line) => sum + lengthOf(line), 0);
  const spare = count - used.length;
  let before = 0;
  return used.flatMap((line) => {
    const after = before + lengthOf(line);
    const extra = Math.round((after / total) * spare) - Math.round((before / total) * spare);
    before = after;
    return splitLine(line, 1 + extra);
  });
}

function splitLine(line: readonly Metres[], count: number): readonly (readonly Metres[])[] {
  const pieceLength = lengthOf(line) / count;
  const pieces: Metres[][] = [];
  let piece: Metres[] = [itemAt(line, 0)];
  let missing = pieceLength;
  for (let i = 1; i < line.length; i++) {
    const end = itemAt(line, i);
    let start = itemAt(line, i - 1);
    let rest = distance(start, end);
    while (rest > missing && pieces.length < count - 1) {
      const share = missing / rest;
      start = [start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share];
      pieces.push([...piece, start]);
      piece = [start];
      rest -= missing;
      missing = pieceLength;
    }
    piece.push(end);
    missing -= rest;
  }
  return [...pieces, piece];
}
