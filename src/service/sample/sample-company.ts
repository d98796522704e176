import type { Block, LayerFeature, Operation, PropertyChange, PropertyDefinition, Site } from "../../api/resources.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { blocks } from "./company/blocks.js";
import { datasets, propertyDefinitions } from "./company/datasets.js";
import { operations } from "./company/operations.js";
import type { SampleDataset } from "./company/sample-dataset.js";
import { sites } from "./company/sites.js";
import { componentModels } from "./features/component-models.js";
import { featureCounts, firstFeatureIds } from "./features/feature-counts.js";
import type { FeatureSet } from "./features/feature-set.js";
import { joinedFeatures } from "./features/joined-features.js";
import { layerFeature } from "./features/layer-feature.js";
import { RoadWorks } from "./grounds/road-works.js";
import { SolarPark } from "./grounds/solar-park.js";
import { WindFarm } from "./grounds/wind-farm.js";
import { changeLog } from "./log/change-log.js";
import { roadDeviations } from "./road/road-deviations.js";
import { roadSections } from "./road/road-sections.js";
import { annotations } from "./solar/annotations.js";
import { fences } from "./solar/fences.js";
import { solarAnomalies } from "./solar/solar-anomalies.js";
import { solarDeviations } from "./solar/solar-deviations.js";
import { solarPanels } from "./solar/solar-panels.js";
import { solarRoads } from "./solar/solar-roads.js";
import { SolarSchedule } from "./solar/solar-schedule.js";
import { tickets } from "./solar/tickets.js";
import { trenches } from "./solar/trenches.js";
import { bladeDamages } from "./wind/blade-damages.js";
import { windTurbines } from "./wind/wind-turbines.js";

export type { SampleDataset } from "./company/sample-dataset.js";

export interface SampleOptions {
  /** Another seed gives another company of the same shape. Default 2026. */
  readonly seed?: number;
  /** Number of layer features, 1000 to 1,000,000. Default 3000. */
  readonly features?: number;
}

/** Everything that one invented company keeps in the service on 30 June 2026. */
export interface SampleCompany {
  readonly sites: readonly Site[];
  readonly operations: readonly Operation[];
  readonly blocks: readonly Block[];
  readonly datasets: readonly SampleDataset[];
  readonly propertyDefinitions: readonly PropertyDefinition[];
  /** The features by id, each made when it is asked for. */
  layerFeatures(): Iterable<LayerFeature>;
  /** The log by id, which is the order of insertion, made as it is read. */
  propertyChanges(): Iterable<PropertyChange>;
}

/**
 * The sample company: a solar park, a wind farm, a road and a planned battery, with years of edits.
 * The same seed and size give the same records on every machine.
 *
 * @throws ArgumentError if `seed` is no integer or `features` is out of range
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

  const parkSetting = { ...setting, park, schedule: new SolarSchedule(park) };
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
    blocks: blocks(park, farm, works),
    datasets,
    propertyDefinitions,
    layerFeatures: () => ({ [Symbol.iterator]: () => layerFeatures(all, firstId) }),
    propertyChanges: () => ({ [Symbol.iterator]: () => changeLog(all.count, all.edits) }),
  };
}

function* layerFeatures(all: FeatureSet, firstId: number): Generator<LayerFeature, void, undefined> {
  for (let index = 0; index < all.count; index++) {
    yield layerFeature(firstId + index, all.draft(index), all.edits(index));
  }
}
