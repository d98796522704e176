import { ArgumentError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";
import type { Choice } from "./control.js";

/** Values of which one is chosen by its place. */
export interface ListParts {
  readonly call: string;
  readonly kind: "slider" | "select";
  readonly label: string;
  readonly values: readonly unknown[];
  readonly first: unknown;
}

/**
 * What a control chooses from that goes through a list.
 *
 * @throws ArgumentError if the list is empty, or has no such first value
 */
export function listChoice({ call, kind, label, values, first }: ListParts): Choice<unknown> {
  if (values.length === 0) throw new ArgumentError(`${call} has nothing to choose from: its list is empty.`);
  const texts = values.map(valueText);
  const placeOf = (value: unknown) => {
    const at = values.findIndex((each) => Object.is(each, value));
    // Dates of a table are other objects than those of the list.
    const place = at === -1 ? texts.indexOf(valueText(value)) : at;
    return place === -1 ? undefined : place;
  };
  const start = placeOf(first);
  if (start === undefined) throw new ArgumentError(`${call}: its list has no value ${showValue(valueText(first))}.`);
  return {
    ...{ call, label, start, placeOf, textOf: valueText },
    state: { kind, texts },
    valueAt: (at) => (typeof at === "number" && Object.hasOwn(values, at) ? { value: values[at] } : undefined),
  };
}

/** Midnights, of which lists of dates are made, without their time. */
function valueText(value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString().replace(/T00:00:00\.000Z$/, "");
}
