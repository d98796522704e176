import type { MimeBundle } from "../../../tables/display/bundle/mime-bundle.js";
import { liveKernel } from "../../../tables/display/live-kernel.js";
import { liveModels } from "./live-models.js";
import type { WidgetModel } from "./widget-model.js";

/** What is shown of a widget where it cannot live. */
export interface WidgetStill {
  readonly html: string;
  readonly text: string;
}

/** By this JupyterLab's extension shows the still where the page has no anywidget. */
const stillType = "application/vnd.siteframe.widget.v1+json";

const note = "Shown still: a widget needs its kernel, and a page that has anywidget (pip install anywidget).";

/** A widget for pages that have anywidget, and its still for all others. */
export function widgetBundle(model: WidgetModel, { html, text }: WidgetStill, closed: boolean): MimeBundle {
  const kernel = closed ? undefined : liveKernel();
  const still = {
    "text/html": `<div class="siteframe-widget-still">${html}<p><small>${note}</small></p></div>`,
    "text/plain": `${text}\n${note}`,
  };
  if (!kernel) return still;
  const view = { version_major: 2, version_minor: 1, model_id: liveModels(kernel).open(kernel, model) };
  return { "application/vnd.jupyter.widget-view+json": view, [stillType]: {}, ...still };
}
