import { ArgumentError } from "../core/errors.js";
import { nearNames } from "../core/nearest-name.js";
import { showValue } from "../core/show-value.js";
import { declareRows } from "../layer/declare-rows.js";
import { nearNamesHint } from "./find-site.js";
import type { Source } from "./source.js";

/** What each interface extends. */
const ROW = "FeatureRow";

/** What is declared. */
export interface DeclareOptions {
  /** Sites whose layers are declared; all if absent. */
  readonly siteIds?: readonly number[];
  /** Semantic types to declare; all that have features if absent. */
  readonly semanticTypes?: readonly string[];
  /** Whether layers are read with labels in place of option codes. */
  readonly optionLabels: boolean;
}

/** A declaration file, and what it declares. */
export interface Declarations {
  readonly text: string;
  /** Name of the interface of each semantic type. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Writes the types of the rows of all layers of a source, by semantic type. The layers are read, since what columns are
 * called follows from their values, too.
 *
 * @throws ArgumentError for a semantic type that is asked for and has no features
 */
export async function declareTypes(source: Source, options: DeclareOptions): Promise<Declarations> {
  const names = new Map<string, string>();
  const parts: string[] = [];
  for (const type of options.semanticTypes ?? (await typesOf(source, options.siteIds))) {
    const { optionLabels } = options;
    const sites = options.siteIds ? { site_id: options.siteIds } : {};
    const filter = await typeFilter(source, type);
    if (!filter) throw await noFeatures(source, type, options.siteIds);
    const layer = await source.layer({ ...sites, ...filter }, { optionLabels, progress: false });
    if (layer.rowCount === 0 && options.semanticTypes) throw await noFeatures(source, type, options.siteIds);
    if (layer.rowCount === 0) continue;
    const name = interfaceName(type, new Set([ROW, ...names.values()]));
    names.set(type, name);
    parts.push(declareRows(name, type.trim() === "" ? showValue(type) : type, layer, optionLabels));
  }
  const { kind, name, generation } = source.origin;
  const from = `${kind} ${name}${generation === undefined ? "" : `, generation ${generation}`}`.replaceAll(/\s+/g, " ");
  const head = `// Written by siteframe types, from ${from}. Write it again when definitions change.`;
  return { text: `${[head, `import type { ${ROW} } from "siteframe";`, ...parts].join("\n\n")}\n`, names };
}

/** No filter asks for an empty text or half a pair of surrogates: then for the datasets of the type. */
async function typeFilter(
  source: Source,
  type: string,
): Promise<{ readonly semantic_type: string } | { readonly dataset_id: readonly number[] } | undefined> {
  if (type !== "" && !/\p{Surrogate}/u.test(type)) return { semantic_type: type };
  const datasets = await source.datasets({}, { progress: false });
  const types = datasets.array("semantic_type");
  const ids = datasets.array("id").filter((_, row) => types[row] === type);
  return ids.length === 0 ? undefined : { dataset_id: ids.map(Number) };
}

async function typesOf(source: Source, siteIds: readonly number[] | undefined): Promise<readonly string[]> {
  const datasets = await source.datasets(siteIds ? { site_id: siteIds } : {}, { progress: false });
  return [...new Set(datasets.array("semantic_type").flatMap((type) => type ?? []))].sort();
}

/** The error of a semantic type that is asked for and has no features. */
async function noFeatures(
  source: Source,
  type: string,
  siteIds: readonly number[] | undefined,
): Promise<ArgumentError> {
  const known = await typesOf(source, undefined);
  const facts = { semantic_type: type };
  if (known.includes(type)) {
    const where = siteIds ? ` in ${siteIds.length === 1 ? "site" : "sites"} ${siteIds.join(", ")}` : "";
    return new ArgumentError(`There are no features of ${showValue(type)}${where} to declare types of.`, { facts });
  }
  const near = nearNames(type, known);
  return new ArgumentError(`There is no semantic type ${showValue(type)}.`, {
    hint: nearNamesHint(
      near,
      known.map((one) => showValue(one)),
    ),
    facts: { ...facts, near },
  });
}

/** `PUNCH_LIST_ITEMS` as `PunchListItems`; another one where the name is taken. */
function interfaceName(type: string, taken: ReadonlySet<string>): string {
  const words = type.split(/[^\p{L}\p{Nd}\p{Nl}]+/u).filter((word) => word !== "");
  const joined = words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`).join("");
  const name = /^\p{ID_Start}/u.test(joined) ? joined : `Layer${joined}`;
  if (!taken.has(name)) return name;
  let count = 2;
  while (taken.has(`${name}${count}`)) count += 1;
  return `${name}${count}`;
}
