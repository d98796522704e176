import { Random } from "../../src/core/random.js";
import { instant } from "../base/instant.js";
import { itemAt } from "../base/random.js";
import { model } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { people } from "../company/people.js";
import { Journal } from "../log/journal.js";
import { type FeatureSet, numbered, type Setting } from "./feature-set.js";

type Model = readonly [
  name: string,
  maker: string,
  kind: string,
  watts: number,
  length: number,
  width: number,
  depth: number,
];

const models: readonly Model[] = [
  ["Solenne 580-B", "Solenne", "module", 580, 2278, 1134, 30],
  ["Solenne 600-B", "Solenne", "module", 600, 2278, 1134, 30],
  ["Brightfield BF-575", "Brightfield", "module", 575, 2279, 1133, 35],
  ["Voltara C-3450", "Voltara", "inverter", 3_450_000, 2991, 2591, 2438],
  ["Voltara S-350", "Voltara", "inverter", 350_000, 1136, 870, 361],
  ["Ferrum T2x24", "Ferrum", "structure", 0, 27_220, 4200, 2600],
  ["Ferrum T2x12", "Ferrum", "structure", 0, 13_610, 4200, 2600],
  ["Kestrel K-117", "Kestrel", "turbine", 4_200_000, 117_000, 4100, 91_500],
  ["Ferrum P-120", "Ferrum", "structure", 0, 3200, 120, 60],
];

const CREATED = instant("2023-01-09T10:30:00Z");
const OFFICE = { type: "Point" as const, coordinates: [-0.1262, 51.5087] };

/** Number of module types, which come first in the catalogue. */
export const MODULE_TYPES = 3;

/** The catalogue of component types, at the company's office. */
export function componentModels({ firstIds }: Setting): FeatureSet {
  const dataset = datasetOf("component-models");
  return {
    count: models.length,
    draft(index) {
      const [name, maker, kind, watts, length, width, depth] = itemAt(models, index);
      return {
        visible_id: numbered("CM-", index, 3),
        dataset,
        geometry: OFFICE,
        description: name,
        createdAt: CREATED,
        unlogged: {
          [model.manufacturer.id]: maker,
          // A turbine is not in the list of options: the catalogue outgrew its definition.
          [model.kind.id]: kind,
          [model.ratedPower.id]: watts === 0 ? null : watts,
          [model.dimensions.id]: { length, width, depth },
        },
      };
    },
    edits(index) {
      const journal = new Journal(firstIds.models + index, new Random(index));
      const [siteManager] = people.siteManagers;
      if (index === 2) journal.person(siteManager.id, model.ratedPower.id, 575, instant("2023-04-11T09:14:22.310Z"));
      return journal.edits();
    },
  };
}
