/** The made-up company with a long log, except its log: sites, datasets, definitions, and JSON text of its features. */
export const SITES = 8;
export const PROPERTIES = [
  ["STATUS", "OPTION"],
  ["ASSIGNEE", "STRING"],
  ["VOLUME", "FLOAT"],
  ["SEVERITY", "INTEGER"],
  ["TAGS", "JSON"],
];
export const CHANGES_OF_FEATURE = 24;
export const START_MS = Date.UTC(2022, 0, 1);
export const END_MS = Date.UTC(2025, 0, 1);
export const DAY_MS = 86_400_000;

export function* sites() {
  const none = { coordinates: null, geo_area: 0, peak_power: null, ac_power: null };
  const address = { address_line1: null, address_line2: null, address_line3: null };
  for (let id = 1; id <= SITES; id += 1) {
    yield { id, company_id: 1, name: `Site ${id}`, type: "SOLAR", stage: "OPERATION", ...none, ...address };
  }
}

export function* datasets() {
  const rest = { operation_id: null, status: "COMPLETED", semantic_type: "TRENCHES", layout_definition: null };
  for (let site = 0; site <= SITES; site += 1) {
    yield { id: 100 + site, identifier: `ds-${site}`, site_id: site || null, name: `Dataset ${site}`, ...rest };
  }
}

export function* definitions() {
  for (let site = 0; site <= SITES; site += 1) {
    for (const [property, [name, type]] of PROPERTIES.entries()) {
      yield { id: keyOf(site, property), dataset_id: 100 + site, name, description: null, type, config: {} };
    }
  }
}

export function* layerFeatures(count) {
  for (let id = 1; id <= count; id += 1) {
    const site = id % 97 === 0 ? 0 : 1 + (id % SITES);
    const values = ['"OPEN"', `"user ${id % 40}"`, String((id % 1000) / 8), String(1 + (id % 5)), '["t1","x"]'];
    const properties = values.flatMap((value, property) =>
      (id + property) % 11 === 0 ? [] : [`"${keyOf(site, property)}":${value}`],
    );
    const created = new Date(START_MS + Math.floor((id / count) * 400) * DAY_MS).toISOString();
    yield `{"id":${id},"visible_id":"F-${id}","properties":{${[...properties, `"NOTE":"n${id % 50}"`].join()}},"geometry":{"type":"Point","coordinates":[${11 + id / 1e6},48]},"dataset_id":${100 + site},"site_id":${site || null},"operation_id":null,"company_id":1,"semantic_type":"TRENCHES","description":null,"created_at":"${created}","updated_at":"2025-01-01T00:00:00Z"}`;
  }
}

function keyOf(site, property) {
  const hex = (number, digits) => number.toString(16).padStart(digits, "0");
  return `0d${hex(site, 2)}000${property}-1111-4222-8333-${hex(property * 7919 + site, 12)}`;
}
