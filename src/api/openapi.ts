import type { Field, FieldType, FilterParameter, Resource } from "./contract.js";
import { type Endpoint, endpointOf, endpoints, sortableNames } from "./endpoints.js";
import { MAX_SORT_KEYS } from "./parse-query.js";
import { type ResourceName, resources } from "./resources.js";

type Json = Readonly<Record<string, unknown>>;

const schemas: Readonly<Record<FieldType, Json>> = {
  integer: { type: "integer" },
  number: { type: "number" },
  string: { type: "string" },
  boolean: { type: "boolean" },
  uuid: { type: "string", format: "uuid" },
  date: { type: "string", format: "date" },
  timestamp: { type: "string", format: "date-time" },
  point: { $ref: "#/components/schemas/Point" },
  polygon: { $ref: "#/components/schemas/Polygon" },
  geometry: { $ref: "#/components/schemas/Geometry" },
  layout: { $ref: "#/components/schemas/Layout" },
  object: { type: "object", additionalProperties: true },
  json: {},
};

/**
 * Returns the contract of the service as an OpenAPI 3.1 document.
 *
 * @param version version of this package, used as the document's version: the service has none
 */
export function openApi(version: string): Json {
  const names = Object.keys(endpoints) as ResourceName[];
  return {
    openapi: "3.1.0",
    info: {
      title: "Site Data Service: Read API",
      version,
      description: "Read-only access to sites, operations, datasets, layer features and their property changes.",
    },
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(names.map((name) => [endpointOf(name).path, { get: operation(endpointOf(name)) }])),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "Authorization", description: "`ApiKey <API_KEY>`" },
      },
      schemas: {
        ...Object.fromEntries(names.map((name) => [resources[name].record, recordSchema(resources[name])])),
        Pagination: paginationSchema,
        Error: errorSchema,
        Layout: layoutSchema,
        ...geometrySchemas(),
      },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  return {
    operationId: endpoint.resource,
    summary: endpoint.summary,
    ...(endpoint.oneOf ? { description: `At least one of ${endpoint.oneOf.join(", ")} must be given.` } : {}),
    parameters: [
      ...Object.entries(endpoint.filters).flatMap(([name, filter]) => filterParameters(name, filter)),
      { name: "_page", in: "query", required: endpoint.pageRequired ?? false, schema: pageSchema(endpoint) },
      { name: "_pageSize", in: "query", required: false, schema: pageSizeSchema(endpoint) },
      { name: "_sortBy", in: "query", required: false, description: sortDescription(endpoint), schema: sortSchema },
    ],
    responses: {
      200: { description: "One page.", content: { "application/json": { schema: listSchema(endpoint) } } },
      400: errorResponse("Invalid query parameters."),
      401: errorResponse("Invalid or missing API key."),
      500: errorResponse("Server failure."),
    },
  };
}

const sortSchema: Json = { type: "array", items: { type: "string" }, maxItems: MAX_SORT_KEYS };

function filterParameters(name: string, filter: FilterParameter): Json[] {
  const type = { integer: { type: "integer" }, string: { type: "string" }, uuid: schemas.uuid }[filter.kind];
  const items = filter.values ? { ...type, enum: filter.values } : type;
  const limits = {
    ...(filter.required ? { minItems: 1 } : {}),
    ...(filter.maxValues === undefined ? {} : { maxItems: filter.maxValues }),
  };
  const base = { in: "query", style: "form", explode: true };
  const plain = {
    ...base,
    name,
    required: filter.required ?? false,
    description: filter.description,
    schema: { type: "array", items, ...limits },
  };
  if (!filter.nullable) return [plain];
  const bracketed = {
    ...base,
    name: `${name}[]`,
    required: false,
    allowEmptyValue: true,
    description: `Bracketed form of ${name}; an empty value selects null.`,
    schema: { type: "array", items: { anyOf: [items, { type: "string", maxLength: 0 }] } },
  };
  return [plain, bracketed];
}

function pageSchema(endpoint: Endpoint): Json {
  return { type: "integer", minimum: 1, ...(endpoint.pageRequired ? {} : { default: 1 }) };
}

function pageSizeSchema(endpoint: Endpoint): Json {
  const { default: size, max } = endpoint.pageSize;
  return {
    type: "integer",
    minimum: 1,
    ...(max === null ? {} : { maximum: max }),
    ...(size === null ? {} : { default: size }),
  };
}

function sortDescription(endpoint: Endpoint): string {
  const { fields, complete, properties, default: order, deprecated } = endpoint.sort;
  const named = sortableNames(fields, properties);
  const parts = [
    `\`%2Bfield\` (or \`field\`) ascending, \`-field\` descending; repeat for tie-breaks, ${MAX_SORT_KEYS} keys at most.`,
    named === ""
      ? "The sortable fields are not shown."
      : `Sortable: ${named}${complete ? "" : " (not the full list)"}.`,
    order
      ? `Default: ${order.map((key) => `${key.descending ? "-" : "+"}${key.field}`).join(", ")}.`
      : "The default order is not shown.",
    deprecated ? `Deprecated: ${deprecated.join(", ")}.` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

function listSchema(endpoint: Endpoint): Json {
  return {
    type: "object",
    required: ["data", "pagination"],
    properties: {
      data: { type: "array", items: { $ref: `#/components/schemas/${resources[endpoint.resource].record}` } },
      pagination: { $ref: "#/components/schemas/Pagination" },
    },
  };
}

function recordSchema(resource: Resource): Json {
  const required = Object.entries(resource.fields)
    .filter(([, field]) => resource.neverOmits || field.nullable === false)
    .map(([name]) => name);
  const properties = Object.entries(resource.fields).map(([name, field]) => [name, fieldSchema(field)]);
  return { type: "object", required, properties: Object.fromEntries(properties) };
}

function fieldSchema(field: Field): Json {
  const seen = field.seen ? ` Values seen: ${field.seen.join(", ")}.` : "";
  const value: Json = field.values ? { ...schemas[field.type], enum: field.values } : schemas[field.type];
  const schema = field.nullable === false || field.type === "json" ? value : { anyOf: [value, { type: "null" }] };
  return {
    ...schema,
    description: `${field.description}${field.unit ? ` Unit: ${field.unit}.` : ""}${seen}`,
    ...(field.deprecated ? { deprecated: true } : {}),
  };
}

function errorResponse(description: string): Json {
  return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
}

const count: Json = { type: "integer", minimum: 0 };

const paginationSchema: Json = {
  type: "object",
  required: ["page", "pageSize", "rowCount", "pageCount"],
  properties: {
    page: { type: "integer", minimum: 1, description: "Current page." },
    pageSize: { type: "integer", minimum: 1, description: "Items per page." },
    rowCount: { ...count, description: "Items across all pages." },
    pageCount: { ...count, description: "Total pages." },
  },
};

const errorSchema: Json = {
  type: "object",
  description: "Body of an error as the embedded service sends it; the specification does not show one.",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["status", "code", "message"],
      properties: { status: { type: "integer" }, code: { type: "string" }, message: { type: "string" } },
    },
  },
};

const layoutProperty: Json = {
  type: "object",
  required: ["type", "property_definition_id"],
  properties: { type: { const: "PROPERTY" }, property_definition_id: schemas.uuid },
};

const layoutSchema: Json = {
  type: "object",
  required: ["items"],
  properties: {
    items: {
      type: "array",
      items: {
        oneOf: [
          layoutProperty,
          {
            type: "object",
            required: ["type", "items"],
            properties: {
              type: { const: "SECTION" },
              header: { type: ["string", "null"] },
              items: { type: "array", items: layoutProperty },
            },
          },
        ],
      },
    },
  },
};

function geometrySchemas(): Json {
  const position: Json = { type: "array", items: { type: "number" }, minItems: 2 };
  const list = (items: Json, minItems = 0): Json => ({ type: "array", items, minItems });
  const ring = list(position, 4);
  const coordinates: Readonly<Record<string, Json>> = {
    Point: position,
    MultiPoint: list(position),
    LineString: list(position, 2),
    MultiLineString: list(list(position, 2)),
    Polygon: list(ring),
    MultiPolygon: list(list(ring)),
  };
  const named = Object.entries(coordinates).map(([type, value]) => [
    type,
    { type: "object", required: ["type", "coordinates"], properties: { type: { const: type }, coordinates: value } },
  ]);
  const collection: Json = {
    type: "object",
    required: ["type", "geometries"],
    properties: { type: { const: "GeometryCollection" }, geometries: list({ $ref: "#/components/schemas/Geometry" }) },
  };
  const oneOf = [...Object.keys(coordinates), "GeometryCollection"].map((type) => ({
    $ref: `#/components/schemas/${type}`,
  }));
  return { ...Object.fromEntries(named), GeometryCollection: collection, Geometry: { oneOf } };
}
