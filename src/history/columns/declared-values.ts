import type { Column } from "../../columns/column/column.js";
import { declareType } from "../../columns/types/declared-type.js";
import { isDate } from "../../columns/types/definition-kind.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/property-type.js";

/** Values of a property, with its definition's type for exports. */
export function declaredValues<C extends Column>(property: NamedColumn | undefined, values: C): C {
  return property ? declareType(values, propertyType(property)) : values;
}

/** Dates of a grid in the rows of a table: calendar dates for exports, if all of the grid are. */
export function declaredDates<C extends Column>(grid: readonly unknown[], values: C): C {
  return grid.every(isDate) ? declareType(values, { of: "table", type: "date" }) : values;
}
