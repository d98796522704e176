import type { TooltipMark } from "../../tables/display/live/chart-facts.js";
import type { PlotNode, RenderedMark } from "./rendered-mark.js";
import { isPointable, tooltipMark } from "./tooltip-mark.js";

/** Attribute of the groups that marks drew: the place of what is told of them. */
const MARK_ATTRIBUTE = "data-mark";

/** The same mark, which tells nothing: another one in the figure tells what it shows. */
export function silent<T extends object>(mark: T): T {
  return Object.assign(mark, { isSilent: true });
}

interface DrawingMark {
  render(...args: unknown[]): unknown;
  readonly tip?: unknown;
}

/**
 * Draws, and notes what the marks know of the data that they drew. Nothing of the options is read: a mark is asked when
 * Plot draws it, whatever transforms it has been through.
 *
 * @param marks as `plot()` takes them
 * @param draw draws them, synchronously
 * @returns what was drawn, and what tells of its marks and names their groups by `MARK_ATTRIBUTE`: a figure that nobody
 *   shows does not pay for it
 */
export function captureMarks<T>(
  marks: unknown,
  draw: () => T,
): readonly [drawn: T, tell: () => readonly TooltipMark[]] {
  const owners = new Set(drawingMarks(marks));
  // Plot's own option says which marks tell, if any has it.
  const hasTips = [...owners].some(({ tip }) => tip !== undefined && tip !== null);
  const pointable: RenderedMark[] = [];
  const own = new Map<DrawingMark, PropertyDescriptor | undefined>();
  const take = (rendered: RenderedMark) => {
    if ((!hasTips || rendered.mark.tip) && isPointable(rendered)) pointable.push(rendered);
  };
  for (const mark of owners) {
    own.set(mark, Object.getOwnPropertyDescriptor(mark, "render"));
    Object.defineProperty(mark, "render", {
      configurable: true,
      writable: true,
      value: watched(mark, mark.render, take),
    });
  }
  try {
    return [draw(), () => tellMarks(pointable)];
  } finally {
    for (const [mark, descriptor] of own) {
      if (descriptor) Object.defineProperty(mark, "render", descriptor);
      else Reflect.deleteProperty(mark, "render");
    }
  }
}

function tellMarks(marks: readonly RenderedMark[]): readonly TooltipMark[] {
  const told: TooltipMark[] = [];
  for (const mark of marks) {
    const known = tooltipMark(mark);
    if (!known) continue;
    mark.node.setAttribute(MARK_ATTRIBUTE, String(told.length));
    told.push(known);
  }
  return told;
}

function watched(mark: DrawingMark, render: DrawingMark["render"], take: (rendered: RenderedMark) => void) {
  return (index: unknown, scales: unknown, values: unknown, dimensions: unknown, ...rest: unknown[]): unknown => {
    const node = render.call(mark, index, scales, values, dimensions, ...rest);
    if (isNode(node) && index) take({ mark, index, scales, values, dimensions, node } as unknown as RenderedMark);
    return node;
  };
}

/** Marks may stand in arrays of arrays; functions and elements among them draw nothing that can be told. */
function drawingMarks(marks: unknown): DrawingMark[] {
  if (Array.isArray(marks)) return marks.flatMap(drawingMarks);
  const isMark = typeof marks === "object" && marks !== null && typeof Reflect.get(marks, "render") === "function";
  return isMark ? [marks as DrawingMark] : [];
}

function isNode(value: unknown): value is PlotNode {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "setAttribute") === "function";
}
