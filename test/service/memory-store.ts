import type { Endpoint } from "../../src/api/endpoints.js";
import type { ParsedQuery } from "../../src/api/parse-query.js";
import type { ResourceName } from "../../src/api/resources.js";
import { type Row, rowFilter, sortRows } from "../../src/api/select-records.js";
import type { Access, SnapshotStore, StoredPage } from "../../src/snapshot/serve/snapshot-store.js";

/** Records of each resource; datasets may carry their hidden attributes. */
export type Company = { readonly [R in ResourceName]?: readonly Row[] };

/** A simple store of a few records, as an oracle of the specification. */
export class MemoryStore implements SnapshotStore {
  readonly version: string;
  readonly #company: Company;

  constructor(company: Company, version = "1") {
    this.#company = company;
    this.version = version;
  }

  async page({ resource }: Endpoint, query: ParsedQuery, access: Access): Promise<StoredPage> {
    const matches = rowFilter(resource, query.filters);
    const selected = this.#rows(resource).filter((row) => this.#isVisible(resource, row, access) && matches(row));
    const rows = sortRows(resource, selected, query.sort);
    const start = (query.page - 1) * query.pageSize;
    const data = rows.slice(start, start + query.pageSize).map((row) => returned(resource, row));
    return { data: Buffer.from(JSON.stringify(data)), rowCount: rows.length };
  }

  async close(): Promise<void> {}

  #rows(resource: ResourceName): Row[] {
    const rows = this.#company[resource] ?? [];
    if (resource !== "layerFeatures") return [...rows];
    return rows.filter((row) => this.#find("datasets", row["dataset_id"])?.["type"] === "geojson-layer");
  }

  #isVisible(resource: ResourceName, row: Row, { siteIds }: Access): boolean {
    if (!siteIds) return true;
    const siteId = this.#siteOf(resource, row);
    if (siteId === null) return resource === "datasets" || resource === "propertyDefinitions";
    return siteIds.includes(siteId);
  }

  #siteOf(resource: ResourceName, row: Row): number | null {
    switch (resource) {
      case "sites":
        return row["id"] as number;
      case "blocks":
        return siteId(this.#find("operations", row["operation_id"]));
      case "propertyDefinitions":
        return siteId(this.#find("datasets", row["dataset_id"]));
      case "propertyChanges":
        return siteId(this.#find("layerFeatures", row["layer_feature_id"]));
      default:
        return siteId(row);
    }
  }

  #find(resource: ResourceName, id: unknown): Row | undefined {
    return this.#company[resource]?.find((row) => row["id"] === id);
  }
}

function siteId(row: Row | undefined): number | null {
  return (row?.["site_id"] ?? null) as number | null;
}

function returned(resource: ResourceName, row: Row): Row {
  if (resource !== "datasets") return row;
  const { type, created_at, updated_at, ...shown } = row;
  return shown;
}
