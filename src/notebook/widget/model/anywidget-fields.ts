/**
 * The page takes whatever anywidget it has: which one, the kernel cannot know, and it registers with its own version.
 */
const version = "*";

/** What says that a model and its view are pip's anywidget's. */
export const anywidgetFields = {
  _model_module: "anywidget",
  _model_module_version: version,
  _model_name: "AnyModel",
  _view_module: "anywidget",
  _view_module_version: version,
  _view_name: "AnyView",
} as const;

const others = ["_esm", "_css", "_anywidget_id", "_view_count", "_dom_classes", "layout", "tabbable", "tooltip"];

/** Names in a state that belong to anywidget and to ipywidgets. */
export const reservedNames: ReadonlySet<string> = new Set([...Object.keys(anywidgetFields), ...others]);
