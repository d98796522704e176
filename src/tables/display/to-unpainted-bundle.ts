import { readSafely } from "../../core/show-value.js";
import { displaySymbol, plainBundle, type UnpaintedBundle, unpaintedSymbol } from "./mime-bundle.js";
import { withViewType } from "./view.js";

/**
 * What `toMimeBundle` gives of a figure or map, at once and without its pictures; undefined of every other value, and of
 * one that fails, which `toMimeBundle` then tells.
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
