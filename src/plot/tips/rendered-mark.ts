/** A mark that Plot has just drawn. Plot's types do not include it. */
export interface RenderedMark {
  readonly mark: PlotMark;
  /** Drawn rows, in drawing order. */
  readonly index: ArrayLike<number> & Iterable<number> & Readonly<Record<"fx" | "fy", unknown>>;
  readonly scales: PlotScales;
  readonly values: PlotValues;
  readonly dimensions: PlotDimensions;
  readonly node: PlotNode;
}

export interface PlotMark {
  readonly ariaLabel?: string | undefined;
  /** As given, before any transform. */
  readonly data?: unknown;
  /** As given by the option `tip`. */
  readonly tip?: unknown;
  /** How the points of a line or an area are joined, in Plot's terms. */
  readonly curve?: unknown;
  /** Whether another mark has the same tooltips. */
  readonly isSilent?: boolean;
  /** Whether the mark is drawn in facets. */
  readonly facet?: unknown;
}

export interface PlotScale {
  (value: unknown): number;
  readonly label?: string | null | undefined;
  /** Interval of a scale whose dates represent whole days, months and so on. */
  readonly interval?: { offset?(date: Date, steps?: number): Date } | undefined;
  bandwidth?(): number;
}

/** Scales by name. */
export type PlotScales = Readonly<Record<string, PlotScale | undefined>>;

/** Values of channels in pixels and colours, and the channels themselves. */
export interface PlotValues {
  readonly x?: readonly number[];
  readonly x1?: readonly number[];
  readonly x2?: readonly number[];
  readonly y?: readonly number[];
  readonly y1?: readonly number[];
  readonly y2?: readonly number[];
  readonly fill?: readonly unknown[];
  readonly stroke?: readonly unknown[];
  readonly channels?: Readonly<Record<string, PlotChannel | undefined>>;
}

/** A channel: the values of all rows, before scaling. */
export interface PlotChannel {
  readonly value: ArrayLike<unknown>;
  readonly scale?: string | null | undefined;
  readonly defaultScale?: string | undefined;
  readonly label?: string | undefined;
  /** Set if a mark computed the channel: the channel to show instead; null for none. */
  readonly source?: PlotChannel | null | undefined;
  /** `length` for the ends of a stack's parts. */
  readonly hint?: { readonly length?: boolean } | undefined;
}

/** Dimensions of a chart or of a facet in it, in pixels. */
export interface PlotDimensions {
  readonly width: number;
  readonly height: number;
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly marginTop: number;
  readonly marginBottom: number;
}

/** The group of elements that a mark draws. */
export interface PlotNode {
  readonly children: ArrayLike<{ readonly __data__?: unknown }>;
  setAttribute(name: string, value: string): void;
}
