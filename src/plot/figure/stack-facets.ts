import * as ObservablePlot from "@observablehq/plot";
import type { FigureOptions } from "./figure-options.js";

/** Pixels of a small multiple's height, and of what is above and below all of them. */
const [PANEL, AROUND] = [170, 70];

/** A mark as Plot keeps it. */
interface FacettedMark {
  readonly fx?: unknown;
  readonly fy?: unknown;
  readonly ariaLabel?: string;
}

/**
 * Options of a figure whose small multiples stand side by side, such that they stand below each other, each below its
 * name.
 *
 * @param names of the small multiples, as the scale `fx` has them
 * @returns the options as they are where marks of the caller's name or frame the columns themselves
 */
export function stackFacets(options: FigureOptions, names: readonly unknown[]): FigureOptions {
  const marks = (options.marks ?? []).flat(Number.POSITIVE_INFINITY as 1) as readonly unknown[];
  const isTaken = marks.some((mark) => isMark(mark) && (mark.fy != null || /^fx-/.test(mark.ariaLabel ?? "")));
  if (isTaken || names.length < 2) return options;
  const { fx = {}, facet } = options;
  const format = typeof fx.tickFormat === "function" ? fx.tickFormat : nameOf;
  const captions = ObservablePlot.text(
    names.map((name, index) => ({ name, text: String(format(name, index)) })),
    { fy: "name", text: "text", frameAnchor: "top-left", lineAnchor: "bottom", dy: -5, fontWeight: "bold" },
  );
  return {
    ...options,
    height: AROUND + PANEL * names.length,
    marginTop: 34,
    ...(facet ? { facet: turned(facet) } : {}),
    fx: {},
    fy: { ...fx, padding: 0.2, axis: null },
    marks: [
      ...marks.map((mark) => (isMark(mark) ? below(mark) : mark)),
      ...(fx.axis === null ? [] : [captions]),
    ] as never,
  };
}

/** The same mark, whose columns are lines. What it was made of stays untouched. */
function below(mark: FacettedMark): unknown {
  if (mark.fx == null) return mark;
  return Object.create(mark, { fx: { value: undefined }, fy: { value: mark.fx } });
}

function turned({ x, y, ...facet }: NonNullable<FigureOptions["facet"]>): NonNullable<FigureOptions["facet"]> {
  return { ...facet, ...(x == null ? {} : { y: x }), ...(y == null ? {} : { x: y }) };
}

function isMark(value: unknown): value is FacettedMark {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "render") === "function";
}

function nameOf(name: unknown): string {
  return name instanceof Date ? name.toISOString().slice(0, 10) : String(name);
}
