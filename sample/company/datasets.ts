import type { LayoutDefinition } from "../../src/api/contract.js";
import type { Dataset, PropertyDefinition } from "../../src/api/resources.js";
import { DAY, HOUR, instant, instantText } from "../base/instant.js";
import * as components from "./component-definitions.js";
import type { Definition } from "./definition.js";
import {
  anomaly,
  anomalyLayout,
  bladeDamage,
  bladeDamageLayout,
  deviation,
  deviationLayout,
} from "./finding-definitions.js";
import { type Capture, capturesOf, operations, products } from "./operations.js";
import { siteIds } from "./sites.js";

/** A dataset before it has an id. */
interface DatasetPlan {
  /** How the sample's own code refers to it. */
  readonly key: string;
  readonly site_id: number | null;
  readonly operation_id: number | null;
  readonly name: string;
  readonly type: string;
  readonly semantic_type: string | null;
  readonly status: string;
  readonly layout: LayoutDefinition | null;
  /** In microseconds. */
  readonly createdAt: number;
}

type Kind = readonly [type: string, semanticType: string | null];

const { solar, wind, road } = siteIds;
const layer = (semanticType: string | null): Kind => ["geojson-layer", semanticType];

const lasting: readonly DatasetPlan[] = [
  plan("component-models", null, "2023-01-09T10:00:00Z", "Component models", layer(null), components.modelLayout),
  plan(
    "component-template",
    null,
    "2023-01-09T10:05:00Z",
    "Component template",
    layer(null),
    components.componentTemplateLayout,
  ),
  plan("deviation-template", null, "2023-01-09T10:10:00Z", "Deviation template", layer("DEVIATIONS"), deviationLayout),
  plan(
    "solar-anomaly-template",
    null,
    "2023-01-09T10:15:00Z",
    "Solar anomaly template",
    layer("SOLAR_ANOMALIES"),
    anomalyLayout,
  ),
  plan("solar/design-dxf", solar, "2023-01-23T09:00:00Z", "LV-GA-001 General arrangement rev C", ["dxf", null]),
  plan("solar/design-pdf", solar, "2023-01-23T09:20:00Z", "LV-EL-014 Cable routing rev B", ["georeferenced-pdf", null]),
  plan("solar/panels", solar, "2023-02-13T08:00:00Z", "Panel tables", layer("SOLAR_PANELS"), components.panelLayout),
  plan("solar/trenches", solar, "2023-02-13T08:01:00Z", "Cable trenches", layer("TRENCHES"), components.trenchLayout),
  plan("solar/fences", solar, "2023-02-13T08:02:00Z", "Perimeter fence", layer("FENCES")),
  plan("solar/roads", solar, "2023-02-13T08:03:00Z", "Internal roads", layer("ROADS"), components.solarRoadLayout),
  plan(
    "solar/punch-list",
    solar,
    "2023-03-01T09:00:00Z",
    "Punch list",
    layer("PUNCH_LIST_ITEMS"),
    components.ticketLayout,
  ),
  plan("solar/annotations", solar, "2023-03-01T09:05:00Z", "Site annotations", layer("ANNOTATIONS")),
  plan("wind/turbines", wind, "2024-03-04T10:00:00Z", "Turbines", layer("WIND_TURBINES"), components.turbineLayout),
  plan("road/design-dxf", road, "2025-01-13T10:00:00Z", "TB-100 Alignment rev D", ["dxf", null]),
  plan(
    "road/sections",
    road,
    "2025-01-20T10:00:00Z",
    "Carriageway sections",
    layer("ROADS"),
    components.roadSectionLayout,
  ),
];

type Delivery = readonly [key: string, name: string, kind: Kind, layout?: LayoutDefinition];

const visual: readonly Delivery[] = [
  ["rgb", "Orthomosaic", ["tile-layer", "RGB"]],
  ["dsm", "Surface model", ["tile-layer-raw", "DIGITAL_SURFACE_MODEL"]],
  ["point-cloud", "Point cloud", ["3d-point-cloud", "RGB"]],
];
const thermal: readonly Delivery[] = [
  ["thermal", "Thermal orthomosaic", ["tile-layer-raw", "THERMAL"]],
  ["solar-anomalies", "Solar anomalies", layer("SOLAR_ANOMALIES"), anomalyLayout],
];

const captured: readonly DatasetPlan[] = [
  ...capturesOf(products.solarVisual).flatMap((capture) =>
    delivered(capture, [...visual, ["solar-deviations", "Deviations", layer("DEVIATIONS"), deviationLayout]]),
  ),
  ...capturesOf(products.solarThermal).flatMap((capture) => delivered(capture, thermal)),
  ...capturesOf(products.windBlades).flatMap((capture) => {
    const key = "blade-damages";
    const layout = bladeDamageLayout(bladeDamage(`${key}/${capture.date}`));
    return delivered(capture, [
      ["blade-photos", "Blade photos", ["photos", null]],
      [key, "Blade damages", layer("WIND_ANOMALIES"), layout],
    ]);
  }),
  ...capturesOf(products.roadVisual).flatMap((capture) =>
    delivered(capture, [
      ...visual,
      ["mesh", "Earthworks mesh", ["3d-mesh", null]],
      ["contours", "Contour lines 0.5 m", layer(null)],
      ["road-deviations", "Deviations", layer("DEVIATIONS"), deviationLayout],
    ]),
  ),
];

/** Layers that are on their way: they hold nothing yet. */
const processing = operations
  .filter((operation) => operation.status === "IN_REVIEW" || operation.status === "PROCESSING")
  .flatMap((operation) => {
    const date = operation.date_captured ?? "";
    const deliveries = operation.site_id === solar ? thermal : visual;
    return delivered({ operation, date, at: instant(date) }, deliveries, "PROCESSING");
  });

/** Every dataset, oldest first. */
const datasetPlans: readonly DatasetPlan[] = [...lasting, ...captured, ...processing].sort(
  (a, b) => a.createdAt - b.createdAt,
);

const byKey: ReadonlyMap<string, SampleDataset> = new Map(
  datasetPlans.map((plan, index) => {
    const id = 5001 + index;
    const { site_id, operation_id, name, type, semantic_type, status, layout } = plan;
    return [
      plan.key,
      {
        id,
        identifier: `ds-${id}`,
        site_id,
        operation_id,
        name,
        status,
        semantic_type,
        layout_definition: layout,
        type,
        created_at: instantText(plan.createdAt),
        updated_at: instantText(plan.createdAt + 2 * HOUR),
      },
    ];
  }),
);

/** The datasets by id. */
export const datasets: readonly SampleDataset[] = [...byKey.values()];

/** The dataset that the sample's own code calls by this key. */
export function datasetOf(key: string): SampleDataset {
  const dataset = byKey.get(key);
  if (dataset === undefined) throw new RangeError(`the sample company has no dataset ${key}`);
  return dataset;
}

function plan(
  key: string,
  site: number | null,
  created: string,
  name: string,
  kind: Kind,
  layout?: LayoutDefinition,
): DatasetPlan {
  const [type, semantic_type] = kind;
  return {
    key,
    site_id: site,
    operation_id: null,
    name,
    type,
    semantic_type,
    status: "COMPLETED",
    layout: layout ?? null,
    createdAt: instant(created),
  };
}

function delivered(
  { operation, date, at }: Capture,
  deliveries: readonly Delivery[],
  status = "COMPLETED",
): readonly DatasetPlan[] {
  return deliveries.map(([key, name, [type, semantic_type], layout]) => ({
    key: `${key}/${date}`,
    site_id: operation.site_id,
    operation_id: operation.id,
    name: `${name} ${date}`,
    type,
    semantic_type,
    status,
    layout: layout ?? null,
    createdAt: at + 3 * DAY,
  }));
}

const groups: readonly Readonly<Record<string, Definition>>[] = [
  components.component,
  components.model,
  components.panel,
  components.trench,
  components.fence,
  components.solarRoad,
  components.turbine,
  components.roadSection,
  components.ticket,
  components.annotation,
  anomaly,
  deviation,
  ...capturesOf(products.windBlades).map(({ date }) => bladeDamage(`blade-damages/${date}`)),
];

/** The property definitions, by id. */
export const propertyDefinitions: readonly PropertyDefinition[] = groups
  .flatMap((group) => Object.values(group).map((definition, rank) => propertyDefinition(definition, rank)))
  .sort((a, b) => (a.id < b.id ? -1 : 1));

function propertyDefinition(definition: Definition, rank: number): PropertyDefinition {
  const dataset = datasetOf(definition.dataset);
  const place = laidOut(dataset).indexOf(definition.id);
  return {
    id: definition.id,
    dataset_id: dataset.id,
    name: definition.name,
    description: definition.description,
    display_order: place === -1 ? laidOut(dataset).length + rank : place,
    type: definition.type,
    config: definition.config,
  };
}

function laidOut(dataset: SampleDataset): readonly string[] {
  const entries = dataset.layout_definition?.items ?? [];
  return entries
    .flatMap((entry) => (entry.type === "SECTION" ? entry.items : [entry]))
    .map((item) => item.property_definition_id);
}

/** A dataset with the attributes that the service filters and sorts by but does not return. */
export interface SampleDataset extends Dataset {
  readonly type: string;
  readonly created_at: string;
  readonly updated_at: string;
}
