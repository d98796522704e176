import type { Block, LayerFeature, Operation, PropertyChange, PropertyDefinition, Site } from "../src/api/resources.js";
import { ArgumentError } from "../src/core/errors.js";
import { mix } from "../src/core/random.js";
import { showValue } from "../src/core/show-value.js";
import { HOUR, instant, instantText, PRESENT } from "./base/instant.js";
import { itemAt } from "./base/random.js";
import { polygon, rectangle } from "./base/shapes.js";
import { datasets, propertyDefinitions, type SampleDataset } from "./company/datasets.js";
import { operations } from "./company/operations.js";
import { COMPANY_ID, type Outline, siteIds, sites } from "./company/sites.js";
import { componentModels } from "./features/component-models.js";
import { featureCounts, firstFeatureIds } from "./features/feature-counts.js";
import type { FeatureDraft, FeatureSet } from "./features/feature-set.js";
import { RoadWorks } from "./grounds/road-works.js";
import { SolarPark } from "./grounds/solar-park.js";
import { WindFarm } from "./grounds/wind-farm.js";
import type { Edit } from "./log/journal.js";
import { roadDeviations, roadSections } from "./road/road-sections.js";
import { flownBlocks } from "./solar/flown-blocks.js";
import { fences, solarRoads, trenches } from "./solar/park-lines.js";
import { solarAnomalies, solarDeviations } from "./solar/solar-findings.js";
import { solarPanels } from "./solar/solar-panels.js";
import { SolarSchedule } from "./solar/solar-schedule.js";
import { annotations, tickets } from "./solar/tickets.js";
import { bladeDamages, windTurbines } from "./wind/wind-turbines.js";

// Number.toString(16) is slow beyond 31 bits, and this runs for every change of a log of millions.
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const START = instant("2023-01-01");
const HOURS = Math.ceil((PRESENT - START) / HOUR) + 1;

export interface SampleOptions {
  /** Seed; another seed creates another company of the same shape. Default: 2026. */
  readonly seed?: number;
  /** Number of layer features, 1000 to 1,000,000. Default: 3000. */
  readonly features?: number;
}

/** All records of one invented company in the service on 30 June 2026. */
export interface SampleCompany {
  readonly sites: readonly Site[];
  readonly operations: readonly Operation[];
  readonly blocks: readonly Block[];
  readonly datasets: readonly SampleDataset[];
  readonly propertyDefinitions: readonly PropertyDefinition[];
  /** The features by id, each created on request. */
  layerFeatures(): Iterable<LayerFeature>;
  /** The log by id, which is the order of insertion, created while it is read. */
  propertyChanges(): Iterable<PropertyChange>;
}

/**
 * Returns the sample company: a solar park, a wind farm, a road and a planned battery, with years of edits. The same
 * seed and size give the same records on every machine.
 *
 * @throws ArgumentError if `seed` is not an integer or `features` is out of range
 */
export function sampleCompany(options: SampleOptions = {}): SampleCompany {
  const { seed = 2026, features = 3000 } = options;
  if (!Number.isSafeInteger(seed)) throw new ArgumentError(`seed must be an integer, got ${showValue(seed)}.`);
  if (!Number.isInteger(features) || features < 1000 || features > 1_000_000) {
    throw new ArgumentError(`features must be an integer from 1000 to 1000000, got ${showValue(features)}.`);
  }
  const counts = featureCounts(features);
  const setting = { seed, counts, firstIds: firstFeatureIds(counts) };
  const park = new SolarPark(counts.panels);
  const farm = new WindFarm(counts.turbines);
  const works = new RoadWorks(counts.roadSections);

  const schedule = SolarSchedule.actual(park);
  const parkSetting = { ...setting, park, schedule, baseline: SolarSchedule.baseline(park) };
  const windSetting = { ...setting, farm };
  const roadSetting = { ...setting, works };
  const punchList = tickets(parkSetting);
  const all = joinedFeatures([
    componentModels(setting),
    solarPanels(parkSetting),
    trenches(parkSetting),
    fences(parkSetting),
    solarRoads(parkSetting),
    punchList,
    annotations(parkSetting, punchList),
    windTurbines(windSetting),
    roadSections(roadSetting),
    solarDeviations(parkSetting),
    solarAnomalies(parkSetting),
    bladeDamages(windSetting),
    roadDeviations(roadSetting),
  ]);

  const firstId = setting.firstIds.models;
  return {
    sites: sites(park, farm, works),
    operations,
    blocks: blocks(park, schedule, farm, works),
    datasets,
    propertyDefinitions,
    layerFeatures: () => ({ [Symbol.iterator]: () => layerFeatures(all, firstId) }),
    propertyChanges: () => ({ [Symbol.iterator]: () => changeLog(all.count, all.edits) }),
  };
}

/**
 * The UUIDv7 of an edit, from the edit alone: no counter runs over the whole log. The 12 bits after the millisecond are
 * its fraction (RFC 9562, section 6.2, method 3). The other 62 bits include 32 for the feature and 8 for the edit, so
 * that ids of the same microsecond differ.
 */
function changeId(edit: Edit): string {
  const milliseconds = Math.floor(edit.insertedAt / 1000);
  const fraction = Math.floor(((edit.insertedAt % 1000) * 4096) / 1000);
  const feature = mix(edit.featureId);
  const noise = mix(feature ^ edit.sequence);
  const time = `${hex16(milliseconds / 0x1_0000_0000)}${hex16(milliseconds / 0x1_0000)}-${hex16(milliseconds)}`;
  const edition = (feature << 14) | (edit.sequence << 6) | (noise >>> 26);
  return `${time}-${hex16(0x7000 | fraction)}-${hex16(0x8000 | (feature >>> 18))}-${hex16(feature >>> 2)}${hex16(edition)}${hex16(noise)}`;
}

/** The lowest 16 bits of the whole part of a number. */
function hex16(value: number): string {
  return itemAt(HEX, (value >>> 8) & 0xff) + itemAt(HEX, value & 0xff);
}

/**
 * The log in insertion order, without holding it: an index says which features have an edit in which hour,
 * and each hour's edits are computed again from those features, then sorted.
 *
 * @param featureCount number of features
 * @param editsOf the edits of the feature with that index
 */
function* changeLog(
  featureCount: number,
  editsOf: (index: number) => readonly Edit[],
): Generator<PropertyChange, void, undefined> {
  const { features, ends } = indexByHour(featureCount, editsOf);
  for (let hour = 0; hour < HOURS; hour++) {
    const first = hour === 0 ? 0 : itemAt(ends, hour - 1);
    const changes: PropertyChange[] = [];
    for (const feature of new Set(features.subarray(first, itemAt(ends, hour)))) {
      for (const edit of editsOf(feature)) if (hourOf(edit) === hour) changes.push(propertyChange(edit));
    }
    yield* changes.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** A counting sort of (hour, feature) over all edits. */
function indexByHour(
  featureCount: number,
  editsOf: (index: number) => readonly Edit[],
): { features: Uint32Array; ends: Uint32Array } {
  const counts = new Uint32Array(HOURS);
  for (let feature = 0; feature < featureCount; feature++) {
    for (const edit of editsOf(feature)) counts[hourOf(edit)] = itemAt(counts, hourOf(edit)) + 1;
  }
  const ends = new Uint32Array(HOURS);
  let total = 0;
  for (let hour = 0; hour < HOURS; hour++) {
    ends[hour] = total;
    total += itemAt(counts, hour);
  }
  const features = new Uint32Array(total);
  for (let feature = 0; feature < featureCount; feature++) {
    for (const edit of editsOf(feature)) {
      const slot = itemAt(ends, hourOf(edit));
      features[slot] = feature;
      ends[hourOf(edit)] = slot + 1;
    }
  }
  return { features, ends };
}

function hourOf(edit: Edit): number {
  return Math.floor((edit.insertedAt - START) / HOUR);
}

/** An edit as the record of the log. */
function propertyChange(edit: Edit): PropertyChange {
  return {
    id: changeId(edit),
    layer_feature_id: edit.featureId,
    property_key: edit.key,
    new_value: edit.value,
    system: edit.userId === null,
    user_id: edit.userId,
    caused_by_change_id: edit.cause === null ? null : changeId(edit.cause),
    created_at: instantText(edit.at),
  };
}

function* layerFeatures(all: FeatureSet, firstId: number): Generator<LayerFeature, void, undefined> {
  for (let index = 0; index < all.count; index++) {
    yield layerFeature(firstId + index, all.draft(index), all.edits(index));
  }
}

/** Several sets of features as one: the second set follows the first. */
function joinedFeatures(sets: readonly FeatureSet[]): FeatureSet {
  const locate = (index: number): readonly [set: FeatureSet, index: number] => {
    let rest = index;
    for (const set of sets) {
      if (rest < set.count) return [set, rest];
      rest -= set.count;
    }
    return [itemAt(sets, sets.length), rest];
  };
  return {
    count: sets.reduce((sum, set) => sum + set.count, 0),
    draft(index) {
      const [set, rest] = locate(index);
      return set.draft(rest);
    },
    edits(index) {
      const [set, rest] = locate(index);
      return set.edits(rest);
    },
  };
}

type Area = Omit<Block, "id" | "operation_id">;

/** The area of each operation: blocks of the park, or the whole of the other sites. */
function blocks(park: SolarPark, schedule: SolarSchedule, wind: Outline, road: Outline): readonly Block[] {
  const ofPark = parkAreas(park);
  const others = new Map<number, readonly Area[]>([
    [siteIds.wind, [{ polygon_id: null, name: null, geo_boundaries: polygon(wind.frame, wind.boundary) }]],
    [siteIds.road, [{ polygon_id: 1, name: "Corridor", geo_boundaries: polygon(road.frame, road.boundary) }]],
  ]);
  const areasOf = (operation: Operation): readonly Area[] =>
    operation.site_id === siteIds.solar
      ? flownBlocks(operation, park, schedule).map((block) => itemAt(ofPark, block))
      : (others.get(operation.site_id) ?? []);
  return operations
    .flatMap((operation) => areasOf(operation).map((area) => ({ operation_id: operation.id, ...area })))
    .map((block, index) => ({ id: 30_001 + index, ...block }));
}

function parkAreas(park: SolarPark): readonly Area[] {
  return park.blocks.map(({ corner, width, height }, index) => ({
    polygon_id: index + 1,
    name: `Block ${String(index + 1).padStart(2, "0")}`,
    geo_boundaries: polygon(park.frame, rectangle(corner, width, height)),
  }));
}

/** The feature as it is now: its draft with its edits applied in valid order. */
function layerFeature(id: number, draft: FeatureDraft, edits: readonly Edit[]): LayerFeature {
  const properties: Record<string, unknown> = { ...draft.unlogged };
  let updatedAt = draft.createdAt;
  for (const edit of edits.toSorted(byValidTime)) {
    properties[edit.key] = edit.value;
    updatedAt = Math.max(updatedAt, edit.insertedAt);
  }
  const { dataset } = draft;
  return {
    id,
    visible_id: draft.visible_id,
    properties: { ...properties, ...draft.contradicting },
    geometry: draft.geometry,
    dataset_id: dataset.id,
    site_id: dataset.site_id,
    operation_id: dataset.operation_id,
    company_id: COMPANY_ID,
    semantic_type: dataset.semantic_type,
    description: draft.description,
    created_at: instantText(draft.createdAt),
    updated_at: instantText(updatedAt),
  };
}

/** `created_at`, then `id`: within one feature, ids follow insertion and then sequence. */
function byValidTime(a: Edit, b: Edit): number {
  return a.at - b.at || a.insertedAt - b.insertedAt || a.sequence - b.sequence;
}
