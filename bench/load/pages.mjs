/** Pages of made-up records as the API would send them, the same in every run. */

export const PAGE_SIZE = 10_000;

export const datasets = [
  {
    id: 1,
    identifier: "1",
    site_id: 12,
    operation_id: null,
    name: "Panels",
    status: "COMPLETED",
    semantic_type: "SOLAR_PANELS",
    layout_definition: null,
  },
];

const names = [
  "Status",
  "Material",
  "Diameter (mm)",
  "Capacity",
  "Installed on",
  "Active",
  "Notes",
  "Tags",
  "Owner",
  "Score",
  "Count",
  "Level",
];
const types = [
  "STRING",
  "STRING",
  "FLOAT",
  "FLOAT",
  "STRING",
  "BOOLEAN",
  "STRING",
  "RELATIONSHIP",
  "STRING",
  "FLOAT",
  "FLOAT",
  "OPTION",
];
const uuid = (n) => `${(0x10000000 + n * 0x1234567).toString(16)}-75a1-4c3e-9b${(n + 16).toString(16)}-0123456789ab`;
const keys = names.map((_, n) => uuid(n));

export const definitions = names.map((name, n) => ({
  id: keys[n],
  dataset_id: 1,
  name,
  description: null,
  display_order: n,
  type: types[n],
  config: {},
}));

const materials = ["PVC", "Copper", "Steel", "Concrete", "Polyethylene", "Aluminium"];
const words =
  "the inspection found slight corrosion at north eastern joint between module string and inverter cabinet which should be repaired before next winter season".split(
    " ",
  );
const twoDigits = (n) => String(n).padStart(2, "0");
const digits7 = (value) => Math.round(value * 1e7) / 1e7;

function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function timestamp(next) {
  const us = String(Math.floor(next() * 1e3)).padStart(3, "0");
  return `202${Math.floor(next() * 6)}-${twoDigits(1 + Math.floor(next() * 12))}-${twoDigits(1 + Math.floor(next() * 28))}T${twoDigits(Math.floor(next() * 24))}:${twoDigits(Math.floor(next() * 60))}:${twoDigits(Math.floor(next() * 60))}.${us}Z`;
}

function values(id, next) {
  const maybe = (share, value) => (next() < share ? null : value);
  const note = Array.from(
    { length: 12 + Math.floor(next() * 14) },
    () => words[Math.floor(next() * words.length)],
  ).join(" ");
  return [
    ["OPEN", "IN PROGRESS", "DONE"][Math.floor(next() * 3)],
    materials[Math.floor(next() * materials.length)],
    maybe(0.1, Math.floor(next() * 4000) / 10),
    Math.floor(next() * 1e6) / 1e3,
    maybe(0.2, timestamp(next)),
    maybe(0.1, next() < 0.5),
    maybe(0.1, `${note} ${id}`),
    maybe(0.1, words.slice(0, Math.floor(next() * 4))),
    `user-${Math.floor(next() * 500)}`,
    digits7(next()),
    Math.floor(next() * 1e5),
    ["low", "medium", "high"][Math.floor(next() * 3)],
  ];
}

function polygon(next) {
  const [x, y] = [11 + next(), 48 + next()];
  const [w, h] = [1e-5 + next() * 1e-5, 1e-5 + next() * 1e-5];
  const ring = [
    [x, y],
    [x + w, y],
    [x + w, y + h],
    [x, y + h],
    [x, y],
  ].map((point) => point.map(digits7));
  return { type: "Polygon", coordinates: [ring] };
}

function feature(id, next, chosen = keys.map((_, n) => n)) {
  const given = values(id, next);
  return {
    id,
    visible_id: `PNL-${id}`,
    properties: Object.fromEntries(chosen.map((n) => [keys[n], given[n]])),
    geometry: polygon(next),
    dataset_id: 1,
    site_id: 12,
    operation_id: null,
    company_id: 3,
    semantic_type: "SOLAR_PANELS",
    description: `Panel in row ${Math.floor(next() * 400)}`,
    created_at: timestamp(next),
    updated_at: timestamp(next),
  };
}

/** Features of one shape: JSON text of each. */
function uniform(id, next) {
  return JSON.stringify(feature(id, next));
}

const shapes = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  [0, 2, 4, 6, 8, 9],
  [11, 10, 7, 5, 3, 1, 0],
];

/** Three shapes mixed, and one in twenty with an individual shape. */
function mixed(id, next) {
  const record = feature(id, next, shapes[Math.floor(next() * 3)]);
  if (next() >= 0.05) return JSON.stringify(record);
  const odd = Math.floor(next() * 6);
  if (odd === 0) return JSON.stringify(record, null, 1);
  if (odd === 1) return JSON.stringify({ ...record, extra: { at: id } });
  if (odd === 2) return JSON.stringify(Object.fromEntries(Object.entries(record).reverse()));
  if (odd === 3) return JSON.stringify({ ...record, geometry: { type: "Point", coordinates: [11, 48, 3] } });
  if (odd === 4)
    return JSON.stringify({ ...record, created_at: "2024-05-06T07:08:09+02:00", description: 'a "quote"\n' });
  const swapped = Object.entries(record.properties).map(([key, value]) => [
    key,
    typeof value === "number" ? `${value} mm` : value,
  ]);
  return JSON.stringify({ ...record, properties: Object.fromEntries(swapped) });
}

function change(id, next) {
  return JSON.stringify({
    id: `0190${id
      .toString(16)
      .padStart(8, "0")
      .replace(/^(.{4})/, "$1-")}-7000-8${twoDigits(id % 100)}0-${Math.floor(next() * 2 ** 48)
      .toString(16)
      .padStart(12, "0")}`,
    layer_feature_id: 1 + Math.floor(next() * 50_000),
    property_key: keys[Math.floor(next() * 12)],
    new_value: [materials[Math.floor(next() * 6)], Math.floor(next() * 1e4) / 10, next() < 0.5, null][
      Math.floor(next() * 4)
    ],
    system: next() < 0.2,
    user_id: next() < 0.2 ? null : Math.floor(next() * 200),
    caused_by_change_id: null,
    created_at: timestamp(next),
  });
}

const kinds = { uniform, mixed, changes: change };

/** JSON text of `count` records, one after the other. */
function* makeRecords(kind, count) {
  for (let first = 1; first <= count; first += PAGE_SIZE) {
    const next = random((first - 1) / PAGE_SIZE + 1);
    for (let id = first; id < first + PAGE_SIZE && id <= count; id += 1) yield kinds[kind](id, next);
  }
}

/** A listing of records that answers as the service does: by number and size of the page that is asked for. */
export class MadeListing {
  #records;
  /** Start of each record, and of the record after the last. Records are separated by commas. */
  #starts = [0];

  /**
   * @param {"uniform" | "mixed" | "changes"} kind
   */
  constructor(kind, count) {
    const parts = [];
    for (const record of makeRecords(kind, count)) {
      const bytes = Buffer.from(`${record},`);
      this.#starts.push(this.#starts.at(-1) + bytes.length);
      parts.push(bytes);
    }
    this.#records = Buffer.concat(parts);
  }

  get bytes() {
    return this.#records.length;
  }

  get rowCount() {
    return this.#starts.length - 1;
  }

  /** The bytes of a page in parts; undefined beyond the last. */
  page(page, pageSize) {
    const { rowCount } = this;
    const [first, end] = [(page - 1) * pageSize, Math.min(page * pageSize, rowCount)];
    if (first >= end) return undefined;
    const pagination = { page, pageSize, rowCount, pageCount: Math.ceil(rowCount / pageSize) };
    return [
      Buffer.from('{"data":['),
      this.#records.subarray(this.#starts[first], this.#starts[end] - 1),
      Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`),
    ];
  }
}

/**
 * The pages of `count` records.
 *
 * @param {"uniform" | "mixed" | "changes"} kind
 */
export function* makePages(kind, count) {
  const listing = new MadeListing(kind, count);
  for (let page = 1; (page - 1) * PAGE_SIZE < count; page += 1) yield Buffer.concat(listing.page(page, PAGE_SIZE));
}
