import { ArgumentError } from "../core/errors.js";
import { nameHint } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import { type ResourceName, resources } from "./resources.js";

/**
 * The name of a resource as it was given.
 *
 * @throws ArgumentError with the names that there are if it is none of them
 */
export function checkResourceName(name: unknown): ResourceName {
  if (typeof name === "string" && Object.hasOwn(resources, name)) return name as ResourceName;
  const known = Object.keys(resources);
  throw new ArgumentError(`There is no resource ${showValue(name)}.`, {
    hint: nameHint(name, known, `The resources are: ${known.join(", ")}.`),
    facts: typeof name === "string" ? { resource: name } : {},
  });
}
