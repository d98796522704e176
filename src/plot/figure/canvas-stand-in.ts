/** The parts of a canvas that Plot uses to paint the ramp of a continuous legend. */
export interface CanvasStandIn {
  width: number;
  height: number;
  getContext(): { fillStyle: string; fillRect(x: number): void };
  toDataURL(): string;
}

/** Paints a row of colours, as SVG instead of pixels. linkedom's own canvas cannot paint. */
export function createCanvasStandIn(): CanvasStandIn {
  const colours: string[] = [];
  const context = {
    fillStyle: "",
    fillRect(x: number) {
      colours[x] = context.fillStyle;
    },
  };
  return { width: 0, height: 0, getContext: () => context, toDataURL: () => rampImage(colours) };
}

const stopCount = 32;

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
