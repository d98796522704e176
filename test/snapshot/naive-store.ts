import type { ParsedQuery } from "../../src/api/parse-query.js";
import type { ResourceName } from "../../src/api/resources.js";
import { isUuid } from "../../src/core/uuid.js";
import type { Access } from "../../src/snapshot/serve/snapshot-store.js";
import type { RandomCompany } from "./random-company.js";
import type { RandomQuery } from "./random-query.js";

type Row = Readonly<Record<string, unknown>>;
/** Parts of a value that are compared one after the other; null sorts last. */
type Comparable = readonly (number | string | null)[];

/** The specification in its plainest form: filter an array, sort it, and take a page of it. */
export function naivePage(
  company: RandomCompany,
  { endpoint, query, access }: RandomQuery,
): { rows: Row[]; rowCount: number } {
  const resource = endpoint.resource;
  const selected = rowsOf(company, resource)
    .filter((row) => isVisible(company, resource, row, access))
    .filter((row) =>
      [...query.filters].every(([name, values]) => values.includes((row[name] ?? null) as string | null)),
    )
    .sort((a, b) => compareRows(company, query, a, b));
  const start = (query.page - 1) * query.pageSize;
  const rows = selected.slice(start, start + query.pageSize).map((row) => sent(resource, row));
  return { rows, rowCount: selected.length };
}

function rowsOf(company: RandomCompany, resource: ResourceName): Row[] {
  if (resource === "layerFeatures") {
    const closed = new Set(company.datasets.filter(({ type }) => type !== "geojson-layer").map(({ id }) => id));
    return company.layerFeatures.filter(({ dataset_id }) => !closed.has(dataset_id)).map((row) => ({ ...row }));
  }
  if (resource === "propertyDefinitions") return definitions(company);
  return company[resource].map((row) => ({ ...row }));
}

function definitions({ datasets, propertyDefinitions }: RandomCompany): Row[] {
  return propertyDefinitions.map((definition) => {
    const items = datasets.find(({ id }) => id === definition.dataset_id)?.layout_definition?.items ?? [];
    const keys = items
      .flatMap((item) => (item.type === "SECTION" ? item.items : [item]))
      .map((item) => item.property_definition_id);
    const others = propertyDefinitions
      .filter(({ dataset_id, id }) => dataset_id === definition.dataset_id && !keys.includes(id.toLowerCase()))
      .map(({ id }) => id.toLowerCase())
      .sort();
    const id = definition.id.toLowerCase();
    return { ...definition, display_order: keys.includes(id) ? keys.indexOf(id) : keys.length + others.indexOf(id) };
  });
}

function sent(resource: ResourceName, row: Row): Row {
  if (resource !== "datasets") return row;
  const { type: _type, created_at: _created, updated_at: _updated, ...rest } = row;
  return rest;
}

function isVisible(company: RandomCompany, resource: ResourceName, row: Row, { siteIds }: Access): boolean {
  if (!siteIds) return true;
  const sees = (site: unknown) => siteIds.includes(site as number);
  const parent = (rows: readonly { id: number; site_id: number | null }[], id: unknown) =>
    rows.find((item) => item.id === id);
  switch (resource) {
    case "sites":
      return sees(row["id"]);
    case "operations":
    case "layerFeatures":
      return sees(row["site_id"]);
    case "datasets":
      return row["site_id"] === null || sees(row["site_id"]);
    case "blocks":
      return sees(parent(company.operations, row["operation_id"])?.site_id);
    case "propertyChanges":
      return sees(parent(company.layerFeatures, row["layer_feature_id"])?.site_id);
    case "propertyDefinitions": {
      const dataset = parent(company.datasets, row["dataset_id"]);
      return dataset !== undefined && (dataset.site_id === null || sees(dataset.site_id));
    }
  }
}

function compareRows(company: RandomCompany, query: ParsedQuery, a: Row, b: Row): number {
  for (const { field, descending } of [...query.sort, { field: "id", descending: false }]) {
    const [left, right] = [comparable(company, query, field, a), comparable(company, query, field, b)];
    for (const [index, part] of left.entries()) {
      const order = compareParts(part, right[index] ?? null, descending);
      if (order !== 0) return order;
    }
  }
  return 0;
}

function compareParts(a: number | string | null, b: number | string | null, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
  return descending ? -order : order;
}

function comparable(company: RandomCompany, query: ParsedQuery, field: string, row: Row): Comparable {
  if (field.startsWith("properties.")) return propertyValue(company, query, field.slice("properties.".length), row);
  const value = row[field === "site" ? "site_id" : field] ?? null;
  if (value !== null && /^(created_at|updated_at|date_start)$/.test(field)) return [microseconds(String(value))];
  return [field === "id" && typeof value === "string" ? value.toLowerCase() : (value as number | string | null)];
}

function propertyValue(company: RandomCompany, query: ParsedQuery, key: string, row: Row): Comparable {
  const value = (row["properties"] as Row)[key] ?? null;
  const raw = value === null ? null : typeof value === "string" ? value : JSON.stringify(value);
  const typed = [typeof value === "number" ? value : null, raw];
  if (!isUuid(key)) return typed;
  if (query.filters.get("dataset_id")?.length !== 1) return [raw];
  const type = company.propertyDefinitions.find(({ id }) => id.toLowerCase() === key)?.type;
  if (type === "FLOAT") return [numberOf(value), raw];
  // None of the random values is a date, so that dates compare as text.
  if (type === "DATE") return [raw];
  return typed;
}

/** The number of a string, which sorts as that number. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : null;
}

function microseconds(text: string): number {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  return Date.parse(text.replace(/\.\d+/, "")) * 1000 + Number(fraction.padEnd(6, "0"));
}
