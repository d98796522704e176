/**
 * Widgets: code in the notebook's page that communicates with the kernel.
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
export { type LinkedViews, linkViews, type Selection } from "./link-views.js";
export { type Widget, type WidgetOptions, type WidgetState, widget } from "./widget.js";
