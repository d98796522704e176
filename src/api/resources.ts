import type { Resource } from "./contract.js";
import { type Block, blocks } from "./resources/blocks.js";
import { type Dataset, datasets } from "./resources/datasets.js";
import { type LayerFeature, layerFeatures } from "./resources/layer-features.js";
import { type Operation, operations } from "./resources/operations.js";
import { type PropertyChange, propertyChanges } from "./resources/property-changes.js";
import { type PropertyDefinition, propertyDefinitions } from "./resources/property-definitions.js";
import { type Site, sites } from "./resources/sites.js";

export type { Block, Dataset, LayerFeature, Operation, PropertyChange, PropertyDefinition, Site };

/** The record type of each resource. */
export interface Records {
  /** Solar parks, wind farms, roads. */
  sites: Site;
  /** Captures of a site. */
  operations: Operation;
  /** Parts of an operation's area. */
  blocks: Block;
  /** What layer features and files are kept in. */
  datasets: Dataset;
  /** What was found or built. */
  layerFeatures: LayerFeature;
  /** What the properties' UUIDs mean. */
  propertyDefinitions: PropertyDefinition;
  /** The log of edits. */
  propertyChanges: PropertyChange;
}

/**
 * The contract, the one place that names the resources: endpoints, checks of records, tables of snapshots, what a pull
 * reads and a key sees follow from it. Those that others belong to stand before them; in this order they are pulled.
 * Specification: Resources and their fields.
 */
export const resources = {
  sites,
  operations,
  blocks,
  datasets,
  layerFeatures,
  propertyDefinitions,
  propertyChanges,
} as const satisfies { readonly [R in keyof Records]: Resource };

/**
 * Name of a resource and of its endpoint: `layerFeatures`.
 *
 * @useDeclaredType
 */
export type ResourceName = keyof typeof resources;
