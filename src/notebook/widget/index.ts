/**
 * Widgets: code in the notebook's page that speaks with the kernel.
 *
 * @module siteframe/widget
 */
export type { Control } from "./controls/control.js";
export { type DateInputOptions, dateInput } from "./date-input.js";
export { type SelectOptions, select } from "./select.js";
export { type DateSliderOptions, type NumberSliderOptions, slider } from "./slider.js";
export { type Widget, type WidgetOptions, type WidgetState, widget } from "./widget.js";
