import { readSafely } from "../../core/show-value.js";
import { displaySymbol, plainBundle, type UnpaintedBundle, unpaintedSymbol } from "./mime-bundle.js";
import { withViewType } from "./view.js";

/**
 * The bundle of a figure or map from `toMimeBundle`, immediately and without its pictures. Undefined for other values,
 * and after a failure, which `toMimeBundle` then reports.
 */
export function toUnpaintedBundle(value: unknown): UnpaintedBundle | undefined {
  return readSafely(() => {
    const show: unknown = Reflect.get(Object(value), displaySymbol);
    const make: unknown = typeof show === "function" ? Reflect.get(show, unpaintedSymbol) : undefined;
    if (typeof make !== "function") return undefined;
    const { bundle, pictures } = make() as UnpaintedBundle;
    return { bundle: withViewType(plainBundle(bundle)), pictures };
  }, undefined);
}
