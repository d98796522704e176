/** A site as the API sends it. */
const site = (id) => ({
  id,
  company_id: 1,
  name: `Site ${id}`,
  type: "SOLAR",
  stage: "OPERATION",
  coordinates: null,
  geo_area: 0,
  peak_power: null,
  ac_power: null,
  address_line1: null,
  address_line2: null,
  address_line3: null,
});

/** A dataset as the API sends it. */
const dataset = (id, site_id, semantic_type) => ({
  id,
  identifier: `ds-${id}`,
  site_id,
  operation_id: null,
  name: `Dataset ${id}`,
  status: "COMPLETED",
  semantic_type,
  layout_definition: null,
});

const SITES = 4;

/**
 * A made-up company whose records are made when they are read: nothing is kept. `edited` is the share of features that
 * have been edited, each with twice the changes.
 */
export function madeCompany(features, changesOfFeature, edited) {
  const isEdited = (id) => id % 100 < edited * 100;
  const feature = (id) => ({
    id,
    visible_id: `F-${id}`,
    properties: { STATUS: isEdited(id) ? "EDITED" : "OPEN", VOLUME: id / 7, NOTE: `note ${id % 977} `.repeat(20) },
    geometry: { type: "Polygon", coordinates: [Array.from({ length: 12 }, (_, n) => [11 + id / 1e6, 48 + n / 1e3])] },
    dataset_id: 1,
    site_id: 1 + (id % SITES),
    operation_id: null,
    company_id: 1,
    semantic_type: "TRENCHES",
    description: "",
    created_at: "2024-01-01T00:00:00Z",
    updated_at: isEdited(id) ? "2025-03-01T00:00:00Z" : "2024-02-01T00:00:00Z",
  });
  const change = (id, n) => ({
    id: `${n.toString(16).padStart(8, "0")}-0000-7000-8000-${id.toString(16).padStart(12, "0")}`,
    layer_feature_id: id,
    property_key: "STATUS",
    new_value: `S${n}`,
    system: false,
    user_id: 1 + (id % 50),
    caused_by_change_id: null,
    created_at: new Date(1_700_000_000_000 + n * 86_400_000 + id).toISOString(),
  });
  const lists = {
    sites: Array.from({ length: SITES }, (_, index) => site(index + 1)),
    datasets: [dataset(1, 1, "TRENCHES")],
  };
  const countOf = (id) => changesOfFeature * (isEdited(id) ? 2 : 1);
  const reader = {
    origin: { kind: "memory", name: "made up" },
    async *records(resource, filters) {
      if (filters.get("type")?.includes("geojson-layer") === false) return;
      if (resource !== "layerFeatures") return yield* lists[resource] ?? [];
      const sites = filters.get("site_id") ?? [];
      for (let id = 1; id <= features; id += 1) {
        if (sites.includes(1 + (id % SITES))) yield feature(id);
      }
    },
    async all(_, filters) {
      const rows = (filters.get("layer_feature_id") ?? []).flatMap((id) =>
        Array.from({ length: countOf(id) }, (_, n) => change(id, n)),
      );
      return { rows, readAt: 0, diagnostics: [] };
    },
  };
  let changes = 0;
  for (let id = 1; id <= features; id += 1) changes += countOf(id);
  return { reader, changes };
}
