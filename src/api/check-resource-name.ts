import { ArgumentError } from "../core/errors.js";
import { nameHint } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import { type ResourceName, resources } from "./resources.js";

/**
 * Returns the name of a resource, checked.
 *
 * @throws ArgumentError with the known names if it is unknown
 */
export function checkResourceName(name: unknown): ResourceName {
  if (typeof name === "string" && Object.hasOwn(resources, name)) return name as ResourceName;
  const names = Object.keys(resources);
  throw new ArgumentError(`Unknown resource: ${showValue(name)}.`, {
    hint: nameHint(name, names, `Resources: ${names.join(", ")}.`),
    facts: typeof name === "string" ? { resource: name } : {},
  });
}
