import { CLOCK, DAY } from "../core/calendar-period.js";
import { showTimeOrNumber, valueKind } from "../core/show-record-value.js";
import { isUuid } from "../core/uuid.js";
import type { Field, FieldType, Resource } from "./contract.js";
import { type ResourceName, resources } from "./resources.js";

/** Where and how a record violates the contract. */
export interface Violation {
  /** Path below the record: `.geometry.type`; empty for the record itself. */
  readonly path: string;
  readonly message: string;
}

const TIMESTAMP = new RegExp(`^${DAY}[T ]${CLOCK}(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?$`);
const DATE = new RegExp(`^${DAY}([T ].*)?$`);
const GEOMETRIES = ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"];

const checks: Readonly<Record<FieldType, Check>> = {
  integer: Number.isSafeInteger,
  // JSON can hold numbers that a double cannot.
  number: Number.isFinite,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  uuid: (value) => typeof value === "string" && isUuid(value),
  date: (value) => typeof value === "string" && DATE.test(value),
  timestamp: (value) => typeof value === "string" && TIMESTAMP.test(value),
  point: (value) => isGeometry(value, "Point"),
  polygon: (value) => isGeometry(value, "Polygon"),
  geometry: (value) => isGeometry(value) || isCollection(value),
  layout: (value) => isObject(value) && Array.isArray(value["items"]),
  object: isObject,
  json: (value) => value !== undefined,
};

const expected: Readonly<Record<FieldType, string>> = {
  integer: "an integer",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  uuid: "a UUID",
  date: "an ISO 8601 date",
  timestamp: "an ISO 8601 timestamp",
  point: "a GeoJSON Point",
  polygon: "a GeoJSON Polygon",
  geometry: "a GeoJSON geometry",
  layout: "an object with an items array",
  object: "an object",
  json: "a value",
};

/** By resource, compiled when first used. */
const compiled = new Map<ResourceName, Check>();

/**
 * Compares one record with the contract of its resource. Unknown extra fields are allowed.
 *
 * @returns the first violation, or undefined
 */
export function checkRecord(resource: ResourceName, record: unknown): Violation | undefined {
  const keepsContract = compiled.get(resource) ?? compile(resource);
  return keepsContract(record) ? undefined : firstViolation(resources[resource], record);
}

function compile(resource: ResourceName): Check {
  const check = generated(resource) ?? ((record) => firstViolation(resources[resource], record) === undefined);
  compiled.set(resource, check);
  return check;
}

/** Undefined if Node disallows generated code (`--disallow-code-generation-from-strings`). */
function generated(resource: ResourceName): Check | undefined {
  try {
    return compileCheck(resources[resource], checks);
  } catch (error) {
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

function firstViolation(contract: Resource, record: unknown): Violation | undefined {
  if (!isObject(record)) return { path: "", message: `expected an object, got ${valueKind(record)}` };
  for (const [name, field] of Object.entries(contract.fields)) {
    const message = fieldProblem(field, record[name], contract.neverOmits ?? false);
    if (message) return { path: `.${name}`, message };
  }
  return undefined;
}

/** Returns how a value violates the contract of its field; undefined if it is valid. */
export function fieldProblem(field: Field, value: unknown, neverOmits: boolean): string | undefined {
  if (value === null || (value === undefined && !neverOmits)) {
    if (field.nullable !== false) return undefined;
  } else if (checks[field.type](value)) {
    if (!field.values || field.values.includes(value as string)) return undefined;
    return `expected one of ${field.values.join(", ")}, got ${valueKind(value)}`;
  }
  if (value === undefined) return "is missing";
  const isTimeOrNumber = ["integer", "number", "date", "timestamp"].includes(field.type) && !field.personal;
  return `expected ${expected[field.type]}, got ${isTimeOrNumber ? showTimeOrNumber(value) : valueKind(value)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isGeometry(value: unknown, type?: string): boolean {
  if (!isObject(value) || !Array.isArray(value["coordinates"])) return false;
  return type ? value["type"] === type : GEOMETRIES.includes(value["type"] as string);
}

function isCollection(value: unknown): boolean {
  return isObject(value) && value["type"] === "GeometryCollection" && Array.isArray(value["geometries"]);
}

/** Whether a value has a field's type. */
type Check = (value: unknown) => boolean;

/**
 * Compiles a function that returns whether a record follows a contract. Its code is generated: a loop over fields that
 * are known only at run time is several times slower, and every record is checked.
 *
 * @param checks by field type; called for undefined if the field is required, and never for null
 */
function compileCheck(contract: Resource, checks: Readonly<Record<FieldType, Check>>): Check {
  const fields = Object.entries(contract.fields);
  const body = fields.map(([name, field], index) => {
    const value = `record[${JSON.stringify(name)}]`;
    return `value = ${value}; if (!(${acceptance(field, index, contract.neverOmits ?? false)})) return false;`;
  });
  const source = `const { ${Object.keys(checks).join(", ")} } = checks;
    return (record) => {
      if (!object(record)) return false;
      let value;
      ${body.join("\n")}
      return true;
    };`;
  const values = fields.map(([, field]) => field.values);
  return new Function("checks", "values", source)(checks, values);
}

function acceptance({ type, nullable, values }: Field, index: number, neverOmits: boolean): string {
  const present = values ? `${type}(value) && values[${index}].includes(value)` : `${type}(value)`;
  if (nullable === false) return `value !== null && ${present}`;
  return neverOmits ? `value === null || ${present}` : `value === null || value === undefined || ${present}`;
}
