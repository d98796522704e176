import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/property-type.js";
import type { Column } from "../../tables/column/column.js";
import { declareType } from "../../tables/types/declared-type.js";
import { isDate } from "../../tables/types/definition-kind.js";

/** Values of a property, with its definition's type for exports. */
export function declaredValues<C extends Column>(property: NamedColumn | undefined, values: C): C {
  return property ? declareType(values, propertyType(property)) : values;
}

/** Dates of a grid in the rows of a table: calendar dates for exports, if all of the grid are. */
export function declaredDates<C extends Column>(grid: readonly unknown[], values: C): C {
  return grid.every(isDate) ? declareType(values, { of: "table", type: "date" }) : values;
}
