/**
 * The service of the made-up company with a long log: `node live-server.mjs CHANGES` tells its parent the address. What is
 * asked for is made when it is asked for, so that any number of changes fits; the changes of a listing are kept until others
 * are asked for. The log is not that of the folder, whose records DuckDB draws, but has what it has: ties, late edits,
 * clears, values of every kind, and changes that others caused.
 */
import { createServer } from "node:http";
import {
  CHANGES_OF_FEATURE,
  DAY_MS,
  datasets,
  definitions,
  END_MS,
  keyOf,
  layerFeatures,
  PROPERTIES,
  SITES,
  START_MS,
  sites,
} from "./company.mjs";
import { report } from "./data.mjs";

const PAGE_SIZE = 10_000;
/** Listings that are read at once, and some that are asked for again. */
const KEPT = 32;
const STATUSES = ["OPEN", "IN_REVIEW", "CLOSED", "BLOCKED", "REJECTED", "PLANNED", "DONE"];
/** More than a listing has changes: the place of one behind its time. */
const PLACES = 2 ** 15;

const features = Math.ceil(Number(process.argv[2]) / CHANGES_OF_FEATURE);
const records = { sites: [...sites()], datasets: [...datasets()], propertyDefinitions: [...definitions()] };
const kept = new Map();

const server = createServer((request, response) => {
  const [path, query = ""] = (request.url ?? "").slice(1).split("?");
  const [page, pageSize] = [asked(query, "_page", 1), asked(query, "_pageSize", PAGE_SIZE)];
  const { texts, rowCount } = rowsOf(path, query, (page - 1) * pageSize, page * pageSize);
  const pagination = { page, pageSize, rowCount, pageCount: Math.ceil(rowCount / pageSize) };
  const body = Buffer.from(`{"data":[${texts.join()}],"pagination":${JSON.stringify(pagination)}}`);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
// A client that is busy must not lose its connection meanwhile.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${server.address().port}`));
process.once("disconnect", () => process.exit());

function asked(query, name, usual) {
  return Number(new URLSearchParams(query.slice(query.lastIndexOf("_page=") - 1)).get(name) ?? usual);
}

/** JSON texts of some rows, and how many there are in all. */
function rowsOf(path, query, start, end) {
  if (path === "propertyChanges") {
    const texts = changesOf(query);
    return { texts: texts.slice(start, end), rowCount: texts.length };
  }
  if (path === "layerFeatures") {
    return { texts: [...layerFeatures(features, start + 1, Math.min(end, features))], rowCount: features };
  }
  const all = records[path] ?? [];
  return { texts: all.slice(start, end).map((record) => JSON.stringify(record)), rowCount: all.length };
}

/** The changes of the features that a query names, by id. */
function changesOf(query) {
  const ids = query.slice(0, query.lastIndexOf("&_page="));
  const known = kept.get(ids);
  if (known) return known;
  const texts = makeChanges(Array.from(ids.matchAll(/layer_feature_id=(\d+)/g), ([, id]) => Number(id)));
  kept.set(ids, texts);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return texts;
}

function makeChanges(ids) {
  const order = new Float64Array(ids.length * CHANGES_OF_FEATURE);
  for (let place = 0; place < order.length; place += 1)
    order[place] = insertedMs(numberOf(ids, place)) * PLACES + place;
  return Array.from(order.sort(), (key) => changeText(numberOf(ids, key % PLACES)));
}

function numberOf(ids, place) {
  return ids[Math.floor(place / CHANGES_OF_FEATURE)] * CHANGES_OF_FEATURE + (place % CHANGES_OF_FEATURE);
}

/** Since `START_MS`. A feature is changed about once in so many weeks. */
function insertedMs(n) {
  const step = (END_MS - START_MS) / CHANGES_OF_FEATURE;
  return Math.floor(((n % CHANGES_OF_FEATURE) + draw(n, 1, 2 ** 20) / 2 ** 20) * step);
}

function changeText(n) {
  const feature = Math.floor(n / CHANGES_OF_FEATURE);
  const property = draw(n, 4, PROPERTIES.length);
  const isSystem = draw(n, 2, 20) === 0 && n % CHANGES_OF_FEATURE > 0;
  const late = draw(n, 5, 100) < 3 ? draw(n, 6, 30) * DAY_MS : 0;
  // Three in ten share their time with others: bulk edits.
  const ms = insertedMs(n) - late;
  const created = draw(n, 3, 10) < 3 ? `${iso(ms - (ms % 3_600_000), 0)}` : iso(ms, draw(n, 7, 1000));
  return `{"id":"${idOf(n)}","layer_feature_id":${feature},"property_key":"${keys[siteOf(feature)][property]}","new_value":${valueText(n, property)},"system":${isSystem},"user_id":${isSystem ? null : 1 + (n % 50)},"caused_by_change_id":${isSystem ? `"${idOf(n - 1)}"` : null},"created_at":"${created}"}`;
}

function iso(ms, us) {
  return `${new Date(START_MS + ms).toISOString().slice(0, -1)}${String(us).padStart(3, "0")}Z`;
}

const keys = Array.from({ length: SITES + 1 }, (_, site) => PROPERTIES.map((_, property) => keyOf(site, property)));

function siteOf(feature) {
  return feature % 97 === 0 ? 0 : 1 + (feature % SITES);
}

function idOf(n) {
  const ms = (START_MS + insertedMs(n)).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

function valueText(n, property) {
  if (draw(n, 8, 20) === 0) return "null";
  switch (PROPERTIES[property][0]) {
    case "STATUS":
      return `"${STATUSES[draw(n, 9, STATUSES.length)]}"`;
    case "ASSIGNEE":
      return `"${draw(n, 10, 50) === 0 ? "Zoë " : "user "}${draw(n, 11, 40)}"`;
    case "VOLUME":
      return draw(n, 12, 10) < 3 ? draw(n, 13, 100) : `${draw(n, 14, 1000)}.${100 + draw(n, 15, 90) * 10}`;
    case "SEVERITY":
      return ['"3"', true][draw(n, 16, 50)] ?? 1 + draw(n, 17, 5);
    default:
      return draw(n, 18, 2) === 0 ? `["t${draw(n, 19, 9)}","x"]` : `{"a":[1,null,"é"],"b":${draw(n, 20, 9)}}`;
  }
}

/** A random whole number below `range`, another for each `salt`. */
function draw(n, salt, range) {
  let hash = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % range;
}
