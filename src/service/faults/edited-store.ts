import type { Endpoint } from "../../api/endpoints.js";
import { LARGEST_PAGE } from "../../api/form/endpoint.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import type { ResourceName } from "../../api/resources.js";
import { type Row, rowFilter } from "../../api/row-filter.js";
import { sortRows } from "../../api/sort-rows.js";
import type { Access, StoredPage } from "../../snapshot/serve/snapshot-store.js";
import type { Store } from "../store/store.js";
import type { ScheduledEdit } from "./faults.js";

/**
 * A store whose rows change while they are being paged. Once an edit of a resource has happened, each of its pages is
 * made of all rows that the query selects, which suits companies of thousands of rows, not of millions.
 */
export class EditedStore implements Store {
  readonly #store: Store;
  readonly #edits: readonly ScheduledEdit[];
  readonly #pagesRead = new Map<ResourceName, number>();

  constructor(store: Store, edits: readonly ScheduledEdit[]) {
    this.#store = store;
    this.#edits = edits;
  }

  get version(): string {
    return `${this.#store.version} edits ${this.#edits.filter((edit) => this.#hasHappened(edit)).length}`;
  }

  async page(endpoint: Endpoint, query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage> {
    const { resource } = endpoint;
    const edits = this.#edits.filter((edit) => edit.resource === resource && this.#hasHappened(edit));
    this.#pagesRead.set(resource, (this.#pagesRead.get(resource) ?? 0) + 1);
    if (edits.length === 0) return this.#store.page(endpoint, query, access, signal);

    const stored = await this.#readAll(endpoint, query, access, signal);
    const matches = rowFilter(query.filters);
    const isSelected = (row: Row) => isVisible(row, access) && matches(row);
    const rows = edits.reduce<readonly Row[]>((before, edit) => applyEdit(before, edit, isSelected), stored);
    const sorted = sortRows(resource, rows, query.sort);
    const start = (query.page - 1) * query.pageSize;
    const data = Buffer.from(JSON.stringify(sorted.slice(start, start + query.pageSize)));
    return { data, rowCount: rows.length };
  }

  #hasHappened({ resource, afterPages }: ScheduledEdit): boolean {
    return (this.#pagesRead.get(resource) ?? 0) >= afterPages;
  }

  async #readAll(
    endpoint: Endpoint,
    query: ParsedQuery,
    access: Access,
    signal: AbortSignal | undefined,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let page = 1; ; page += 1) {
      const asked = { ...query, page, pageSize: LARGEST_PAGE };
      const { data, rowCount } = await this.#store.page(endpoint, asked, access, signal);
      rows.push(...(JSON.parse(Buffer.from(data).toString()) as Row[]));
      if (page * LARGEST_PAGE >= rowCount) return rows;
    }
  }
}

/** The stored rows were selected by the store, some of them by attributes that they do not show. */
function applyEdit(rows: readonly Row[], edit: ScheduledEdit, isSelected: (row: Row) => boolean): readonly Row[] {
  const { put = [], remove = [] } = edit;
  const gone = new Set<unknown>([...remove, ...put.map((row) => row["id"])]);
  return [...rows.filter((row) => !gone.has(row["id"])), ...put.filter(isSelected)];
}

function isVisible(row: Row, { siteIds }: Access): boolean {
  const siteId = row["site_id"];
  return !siteIds || typeof siteId !== "number" || siteIds.includes(siteId);
}
