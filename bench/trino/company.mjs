// A generated company for what is asked of engines: five properties, each of another definition in every site, with
// ties, late edits, cleared values, JSON values, features that never changed and features of no site.
import { dataset, site } from "../snapshot/records.mjs";
import { xorshift } from "../xorshift.mjs";

const SITES = 8;
const DAY_MS = 86_400_000;
export const START_MS = Date.UTC(2022, 0, 1);
export const END_MS = Date.UTC(2025, 0, 1);
export const TYPE = "TRENCHES";

const statuses = ["OPEN", "IN_REVIEW", "CLOSED", "BLOCKED", "REJECTED", "PLANNED", "DONE"];
/** How each property's values are drawn. */
const properties = [
  { name: "STATUS", type: "OPTION", value: (random) => statuses[Math.floor(random() * statuses.length)] },
  { name: "ASSIGNEE", type: "STRING", value: (random) => `person ${Math.floor(random() * 40)}` },
  { name: "VOLUME", type: "FLOAT", value: (random) => Math.round(random() * 1e6) / 1000 },
  { name: "SEVERITY", type: "INTEGER", value: (random) => 1 + Math.floor(random() * 5) },
  { name: "TAGS", type: "JSON", value: (random) => [`t${Math.floor(random() * 9)}`, { a: null }] },
];
export const COLUMNS = properties.map(({ name }) => name);

/**
 * The tables of the company, to be written as a snapshot.
 *
 * @param features number of them
 * @param changes number of them
 */
export function company(features, changes) {
  return {
    sites: everySite().map((id) => site(id)),
    datasets: [null, ...everySite()].map((id) => dataset(100 + (id ?? 0), id, TYPE)),
    propertyDefinitions: [null, ...everySite()].flatMap((id) => definitionsOf(id)),
    layerFeatures: featureRecords(features),
    propertyChanges: changeRecords(features, changes),
  };
}

function everySite() {
  return Array.from({ length: SITES }, (_, index) => index + 1);
}

function siteOf(id) {
  return id % 97 === 0 ? null : 1 + (id % SITES);
}

function keyOf(siteId, property) {
  return `0d${hex(siteId ?? 0, 2)}000${property}-1111-4222-8333-${hex(property * 7919 + (siteId ?? 0), 12)}`;
}

function definitionsOf(siteId) {
  return properties.map(({ name, type }, property) => {
    return { id: keyOf(siteId, property), dataset_id: 100 + (siteId ?? 0), name, description: null, type, config: {} };
  });
}

function* featureRecords(features) {
  const random = xorshift(11);
  for (let id = 1; id <= features; id += 1) {
    const siteId = siteOf(id);
    const values = properties.flatMap(({ value }, property) => {
      return (id + property) % 11 === 0 ? [] : [[keyOf(siteId, property), value(random)]];
    });
    yield {
      id,
      visible_id: `F-${id}`,
      properties: Object.fromEntries(values),
      geometry: { type: "Point", coordinates: [11 + id / 1e6, 48] },
      dataset_id: 100 + (siteId ?? 0),
      site_id: siteId,
      operation_id: null,
      company_id: 1,
      semantic_type: TYPE,
      description: null,
      created_at: new Date(START_MS + Math.floor((id / features) * 400) * DAY_MS).toISOString(),
      updated_at: "2025-01-01T00:00:00Z",
    };
  }
}

/** In order of insertion: three in ten share the time of the one before, three in a hundred are late. */
function* changeRecords(features, changes) {
  const random = xorshift(7);
  let time = instant(START_MS, 0);
  for (let change = 0; change < changes; change += 1) {
    const insertedMs = START_MS + Math.floor(((END_MS - START_MS) * change) / changes);
    if (random() >= 0.3) {
      const lateMs = random() < 0.03 ? Math.floor(random() * 30 * DAY_MS) : 0;
      time = instant(insertedMs - lateMs, Math.floor(random() * 1000));
    }
    const drawn = 1 + Math.floor(random() * features);
    const id = drawn % 13 === 0 ? drawn - 1 : drawn;
    const property = Math.floor(random() * properties.length);
    const isSystem = change % 20 === 0;
    yield {
      id: `${hex(insertedMs / 0x1_0000, 8)}-${hex(insertedMs % 0x1_0000, 4)}-7000-8000-${hex(change, 12)}`,
      layer_feature_id: id,
      property_key: keyOf(siteOf(id), property),
      new_value: random() < 0.05 ? null : properties[property].value(random),
      system: isSystem,
      user_id: isSystem ? null : 1 + (change % 50),
      caused_by_change_id: null,
      created_at: time,
    };
  }
}

function instant(ms, micros) {
  return new Date(ms).toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`);
}

function hex(value, width) {
  return Math.floor(value).toString(16).padStart(width, "0");
}
