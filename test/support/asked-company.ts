import fc from "fast-check";
import type { LayerFeature, PropertyChange } from "../../src/api/resources.js";
import {
  type Dates,
  fromRecords,
  type LazyHistoryOptions,
  type Params,
  type PlainPoint,
  pull,
  type Source,
} from "../../src/index.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import type { QuestionDraw } from "./question-calls.js";
import { change, dataset, definition, feature, uuid } from "./records.js";

/** A small company with data that engines once read incorrectly, and the arguments of questions. */
export interface AskedCompany {
  /** Features and changes as JSON, with equal values in several notations. */
  readonly layerFeatures: readonly string[];
  readonly propertyChanges: readonly string[];
  /** Whether a change has an invalid time, which only a lenient read accepts. */
  readonly isOdd: boolean;
  /** Features that a first pull had, and the second did not. */
  readonly gone: readonly number[];
  readonly params: Params<"layerFeatures">;
  readonly options: LazyHistoryOptions;
}

const riskA = uuid(1, "aaaaaaaa");
const riskB = uuid(2, "bbbbbbbb");
const depth = uuid(3, "cccccccc");
const phase = uuid(4, "dddddddd");
const [lower, upper] = [uuid(5, "eeeeeeee"), uuid(6, "ffffffff")];
const unresolved = uuid(7, "abababab");
/** A dataset of a type without features. */
const DRAWING = 33;
const hostile = "'; DROP TABLE layer_features; --";
const odd = 'a"b`c\\d\u0001';

const keys = ["STATUS", "VOLUME", hostile, odd, "id", riskA, riskB, depth, phase, lower, upper, unresolved];
const columns = ["STATUS", "VOLUME", hostile, odd, "properties.id"];
const otherColumns = ["Risk", "Depth", "Phase", "Kind", "KIND", "none such"];

const numbers = ["1", "1.0", "0.1", "0.2", "0.30", "-3.5", "1e3", "100000000000", "null"];
const values = [
  ..."null true false 1 1.0 1E0".split(" "),
  ...['"1"', '"é"', '"\\u00e9"', '"\\/"', '"/"', '"?"', '"="', '"null"', '""'],
  ...['{"a":1,"b":[2,null]}', '{"b":[2,null],"a":1.0}', "[1,2]", "[1.0, 2]", '["1"]', '"\\u0000"', '"😀"', '"\uffff"'],
  ...['"=1"', "9007199254740993", JSON.stringify(hostile)],
];

/** Equal times, differences of a microsecond, changes of daylight saving, a leap second, a time without a zone, and
 * times that a number does not hold exactly. */
const instants = [
  "2024-01-01T00:00:00Z",
  "2024-03-30T23:30:00.000001Z",
  "2024-03-31T00:30:00.000001+01:00",
  "2024-03-31T01:00:00",
  "2024-03-31T01:00:00.000001Z",
  "2024-03-31T21:59:59.999999Z",
  "2024-03-31T22:00:00Z",
  "2024-06-30T12:00:00.5-02:30",
  "2024-06-30T14:30:00.500Z",
  "2024-10-27T00:30:00Z",
  "2024-10-27T01:30:00Z",
  "2016-12-31T23:59:60Z",
  "1969-12-31T23:59:59.999999Z",
  "2031-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999Z",
  "0001-01-01T00:00:00Z",
];

const points: readonly PlainPoint[] = [
  "2016-12-31",
  "2023-12-31",
  "2024-03-30",
  "2024-03-31",
  "2024-04-01",
  "2024-06-30",
  "2024-10-26",
  "2024-10-27",
  "2024-03-31T01:00:00Z",
  "2024-03-31T01:00:00.000001Z",
  "2024-10-27T01:29:59.999999Z",
  new Date("2024-03-31T22:00:00Z"),
  "2035-01-01",
  "0001-01-01",
  "9999-12-30",
];

const grids: fc.Arbitrary<Dates> = fc.oneof(
  fc.array(fc.constantFrom(...points), { maxLength: 5 }),
  fc.constantFrom<Dates>(
    { from: "2024-01-31", until: "2024-12-31", every: "month" },
    { from: "2024-03-29", until: "2024-04-02", every: "day" },
    { from: "2024-03-31T00:59:59.999998Z", until: "2024-03-31T01:00:00.000003Z", every: "PT0.000001S" },
    { from: "2016-01-01", until: "2032-01-01", every: "year" },
  ),
);

/** UUIDv7s with times days apart, so that some edits are later than their insertion. */
function changeId(n: number, version: number): string {
  const hex = (Date.UTC(2024, 0, 1) + n * 40 * 86_400_000).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${version}000-8000-${n.toString(16).padStart(12, "0")}`;
}

const UUID = /^[\dA-F-]{36}$/i;
const lowered = (key: string) => key.toLowerCase();
const inCase = (text: string, isUpper: boolean) => (isUpper && UUID.test(text) ? text.toUpperCase() : text);
const valuesOf = (key: string) => (key === "VOLUME" || key === depth ? numbers : values);
const property = fc
  .tuple(
    fc.oneof({ weight: 1, arbitrary: fc.constantFrom("STATUS", "VOLUME") }, fc.constantFrom(...keys)),
    fc.boolean(),
  )
  .chain(([key, isUpper]) => fc.tuple(fc.constant(inCase(key, isUpper)), fc.constantFrom(...valuesOf(key))));

const featureTexts = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(1, 1, 1, 2, 2, 2, 3, 5, 8, 13),
    place: fc.constantFrom(
      { site_id: 11, dataset_id: 31 },
      { site_id: 12, dataset_id: 32 },
      { site_id: null, dataset_id: 34 },
      { site_id: 11, dataset_id: DRAWING },
    ),
    semantic_type: fc.constantFrom("TRENCHES", "TRENCHES", "FENCES", null),
    description: fc.constantFrom("a", "B", null),
    created_at: fc.constantFrom(...instants),
    properties: fc.uniqueArray(property, { selector: ([key]) => key.toLowerCase(), maxLength: 6 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
);

const changeText = fc.record({
  n: fc.nat({ max: 60 }),
  isUpper: fc.boolean(),
  layer_feature_id: fc.constantFrom(1, 1, 1, 2, 2, 2, 3, 5, 8, 13, 99),
  property,
  created_at: fc.constantFrom(...instants),
  system: fc.boolean(),
  user_id: fc.constantFrom(null, 7, 8),
  cause: fc.option(fc.nat({ max: 70 }), { freq: 2 }),
});

const fewChanges = fc.uniqueArray(changeText, { selector: ({ n }) => n, maxLength: 40 });

/** By default, fast-check draws at most 10 of 40 changes: too few for two changes of one cell. */
const manyChanges = fc.noBias(fc.uniqueArray(changeText, { selector: ({ n }) => n, maxLength: 40, size: "max" }));

const everywhere: Params<"layerFeatures"> = { site_id: [11, 12, null] };

const scopes: fc.Arbitrary<Params<"layerFeatures">> = fc.constantFrom<Params<"layerFeatures">>(
  ...Array.from({ length: 8 }, () => everywhere),
  { site_id: 11 },
  { semantic_type: "TRENCHES" },
  { semantic_type: [null, "FENCES"] },
  { dataset_id: [31, 32, DRAWING] },
  { operation_id: null },
  { site_id: [] },
  { site_id: 77 },
);

/** Companies with up to ten changes. */
export const askedCompanies = companiesWith(fewChanges);

/** Companies with up to forty changes. */
export const busyCompanies = companiesWith(manyChanges);

function companiesWith(changeTexts: typeof manyChanges): fc.Arbitrary<AskedCompany> {
  return fc
    .record({
      features: featureTexts,
      changes: changeTexts,
      isOdd: fc.boolean(),
      gone: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, fc.subarray([1, 2, 3, 5, 8, 13])),
      version: fc.constantFrom(7, 7, 7, 4),
      params: scopes,
      timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"),
      optionLabels: fc.boolean(),
      duplicateNames: fc.constantFrom("merge" as const, "suffix" as const),
    })
    .map(({ features, changes, isOdd, gone, version, params, ...options }) => ({
      layerFeatures: features.map(({ place, properties, ...over }) =>
        withRaw(
          feature(over.id, { ...place, ...over } as Partial<LayerFeature>),
          "properties",
          // One key in upper and lower case is refused in columns with suffixes, and for keys without a definition.
          rawObject(
            properties.map(([key, value]) => [
              options.duplicateNames === "merge" && key.toLowerCase() !== unresolved ? key : key.replace(UUID, lowered),
              value,
            ]),
          ),
        ),
      ),
      propertyChanges: changes.map(({ n, isUpper, property: [key, value], cause, created_at, ...over }) =>
        withRaw(
          change(n, {
            ...over,
            id: inCase(changeId(n, version), isUpper),
            property_key: key,
            caused_by_change_id: cause === null ? null : inCase(changeId(cause, version), !isUpper),
            created_at: isOdd && n % 7 === 0 ? "2024-02-30T00:00:00Z" : created_at,
          }),
          "new_value",
          value,
        ),
      ),
      isOdd,
      gone: gone.filter((id) => features.some((one) => one.id === id && Date.parse(one.created_at) < goneAt.getTime())),
      params,
      options: { ...options, strict: !isOdd },
    }));
}

const readAt = new Date("2025-01-01T00:00:00Z");
const goneAt = new Date("2024-06-30T14:30:00Z");

/** Writes a company as a snapshot. */
export async function writeCompany(path: string, company: AskedCompany): Promise<void> {
  const { layerFeatures, propertyChanges, isOdd, gone } = company;
  if (!isOdd && gone.length === 0) {
    await writeSnapshot(path, { ...otherRecords(), layerFeatures, propertyChanges }, { readAt });
    return;
  }
  const records = parsedRecords(company);
  const pullAt = (time: Date, left: typeof records) =>
    pull(fromRecords(left, { readAt: time }), path, {
      strict: false,
      showProgress: false,
      allowShrink: true,
      now: () => time,
    });
  if (gone.length > 0) {
    await pullAt(new Date("2024-06-01T00:00:00Z"), records);
    await pullAt(goneAt, withoutGone(company, records));
  }
  await pullAt(readAt, withoutGone(company, records));
}

/** The remaining records: a service returns no changes of deleted features. */
function withoutGone({ gone }: AskedCompany, records: ReturnType<typeof parsedRecords>) {
  return {
    ...records,
    layerFeatures: records.layerFeatures.filter(({ id }) => !gone.includes(id)),
    propertyChanges: records.propertyChanges.filter(({ layer_feature_id: id }) => !gone.includes(id)),
  };
}

/**
 * A company in memory without deleted features and features of a drawing's dataset, which snapshots and the service
 * leave out.
 */
export function companySource(company: AskedCompany): Source {
  const records = withoutGone(company, parsedRecords(company));
  const layerFeatures = records.layerFeatures.filter(({ dataset_id }) => dataset_id !== DRAWING);
  return fromRecords({ ...records, layerFeatures }, { readAt });
}

function parsedRecords({ layerFeatures, propertyChanges }: AskedCompany) {
  return {
    ...otherRecords(),
    layerFeatures: layerFeatures.map((text) => JSON.parse(text) as LayerFeature),
    propertyChanges: propertyChanges.map((text) => JSON.parse(text) as PropertyChange),
  };
}

/** Records that all companies share. */
function otherRecords() {
  const phases = {
    options: [
      { value: 1, label: "One" },
      { value: "1", label: "One" },
      { value: "é", label: "?" },
    ],
  };
  return {
    sites: [11, 12].map(site),
    datasets: [
      dataset(31, { site_id: 11, layout_definition: { items: [{ type: "PROPERTY", property_definition_id: depth }] } }),
      dataset(32, { site_id: 12 }),
      { ...dataset(DRAWING, { site_id: 11 }), type: "dxf" },
      dataset(34, { site_id: null }),
    ],
    propertyDefinitions: [
      definition(riskA, "Risk", { dataset_id: 31 }),
      definition(riskB.toUpperCase(), "Risk", { dataset_id: 32 }),
      definition(depth, "Depth", { type: "FLOAT", dataset_id: 31 }),
      definition(phase, "Phase", { type: "OPTION", dataset_id: 31, config: phases }),
      definition(lower, "Kind", { dataset_id: 31 }),
      definition(upper, "KIND", { dataset_id: 31 }),
    ],
  };
}

/** Draws arguments of questions to a company. */
export function drawOf(gen: fc.GeneratorValue): QuestionDraw {
  return {
    time: () => gen(fc.constantFrom, ...points),
    grid: () => gen(() => grids),
    column: () => gen(fc.constantFrom, ...columns, ...otherColumns),
    pick: (names) => gen(fc.constantFrom, ...names),
    flag: () => gen(fc.boolean),
  };
}

function site(id: number) {
  const nothing = { coordinates: null, peak_power: null, ac_power: null, geo_area: 0 };
  const address = { address_line1: null, address_line2: null, address_line3: null };
  return {
    id,
    company_id: 3,
    name: `Site ${id}`,
    type: "SOLAR" as const,
    stage: "OPERATION" as const,
    ...nothing,
    ...address,
  };
}

function rawObject(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

/** A record as JSON, with the raw JSON of one member. */
function withRaw(record: object, member: string, raw: string): string {
  const rest = Object.entries(record).filter(([name]) => name !== member);
  return `{${[...rest.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `${JSON.stringify(member)}:${raw}`].join()}}`;
}
