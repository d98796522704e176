/**
 * Colours that stay apart for colour-blind readers, on white and on dark ground: Okabe and Ito (2008) without black and
 * yellow, then two more.
 */
export const palette: readonly string[] = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#56b4e9",
  "#cc79a7",
  "#d55e00",
  "#8b5cf6",
  "#a8326e",
];

/** Classes of numbers, low to high: darker to lighter, so that they keep their order in grey. */
export const steps: readonly string[] = ["#4a55b0", "#2a84a6", "#20a486", "#86c440", "#e3b505"];

/** What stands for everything that has no colour of its own, and for null; neither shines on white or on dark ground. */
export const grey = { other: "#6b757e", none: "#99a3ac" } as const;

/** The colour of single-coloured charts: as far from white as from a dark ground. */
export const accent = "#2a86c8";
