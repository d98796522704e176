/**
 * Widgets: code in the notebook's page that speaks with the kernel.
 *
 * @module siteframe/widget
 */
export type { Control } from "./controls/control.js";
export {
  type DateInputOptions,
  type DateSliderOptions,
  dateInput,
  type NumberSliderOptions,
  type SelectOptions,
  select,
  slider,
} from "./inputs.js";
export { type Linked, linked, type Selection } from "./linked.js";
export { type Widget, type WidgetOptions, type WidgetState, widget } from "./widget.js";
