export type { Figure } from "./figure.js";
export { Plot } from "./namespace.js";
export { plot } from "./plot.js";
