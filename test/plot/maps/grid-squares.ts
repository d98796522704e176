import { rectangle } from "../../support/rectangle.js";

/** Squares in a row. */
export const across = 10;
const step = 0.0001;
const side = 0.00008;

/** A square of a grid that starts in the south-west, with gaps between its squares. */
export function gridSquare(place: number, perRow = across) {
  return rectangle(11 + (place % perRow) * step, 48 + Math.floor(place / perRow) * step, side);
}

/** The middle of a square, as shares of the width and height of a grid with this number of squares. */
export function gridMiddle(place: number, count: number, perRow = across): readonly [x: number, y: number] {
  const share = (index: number, squares: number) => (index * step + side / 2) / ((squares - 1) * step + side);
  return [share(place % perRow, perRow), share(Math.floor(place / perRow), Math.ceil(count / perRow))];
}

/** In the page: the box of the painted pixels of a canvas, as shares of its sides. */
export function inkedBox(canvas: unknown): readonly number[] {
  interface Canvas {
    width: number;
    height: number;
    getContext(kind: "2d", options: object): Context;
    cloneNode(): Canvas;
  }
  interface Context {
    drawImage(image: Canvas, x: number, y: number): void;
    getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray };
  }
  const painted = canvas as Canvas;
  const { width, height } = painted;
  // Browsers warn if a canvas itself is read several times.
  const copy = painted.cloneNode().getContext("2d", { willReadFrequently: true });
  copy.drawImage(painted, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let at = 3; at < data.length; at += 4) {
    if ((data[at] ?? 0) < 128) continue;
    const [x, y] = [((at - 3) / 4) % width, Math.floor((at - 3) / 4 / width)];
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + 1);
  }
  return [left / width, top / height, right / width, bottom / height];
}
