// The same in one file: two hundred take a tenth of a second to load.
import { parseHTML } from "linkedom/worker";

/** The parts of a canvas that Plot uses to paint the ramp of a continuous legend. */
interface CanvasStandIn {
  width: number;
  height: number;
  getContext(): { fillStyle: string; fillRect(x: number): void };
  toDataURL(): string;
}

const stopCount = 32;

/** An empty document for Observable Plot to draw in, where there is no browser. */
export function createDocument(): object {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const createElement = document.createElement.bind(document);
  document.createElement = (name: string) => (name === "canvas" ? createCanvasStandIn() : createElement(name));
  return document;
}

/** Paints a row of colours, as SVG instead of pixels. linkedom's own canvas cannot paint. */
function createCanvasStandIn(): CanvasStandIn {
  const colours: string[] = [];
  const context = {
    fillStyle: "",
    fillRect(x: number) {
      colours[x] = context.fillStyle;
    },
  };
  return { width: 0, height: 0, getContext: () => context, toDataURL: () => rampImage(colours) };
}

function rampImage(colours: readonly string[]): string {
  const stops = Array.from({ length: stopCount }, (_, index) => {
    const offset = index / (stopCount - 1);
    const colour = colours[Math.round(offset * (colours.length - 1))] ?? "none";
    return `<stop offset="${offset.toFixed(3)}" stop-color="${colour}"/>`;
  });
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="1" preserveAspectRatio="none" viewBox="0 0 256 1">' +
    `<linearGradient id="ramp">${stops.join("")}</linearGradient><rect width="256" height="1" fill="url(#ramp)"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}
