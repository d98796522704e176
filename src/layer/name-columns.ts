import { propertyRule } from "../api/property-types.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { compareText } from "../core/json.js";
import { showValue } from "../core/show-value.js";
import { type Column, DateColumn } from "../tables/column/column.js";
import { baseFields } from "../tables/read/feature-columns.js";
import { type DeclaredType, declareType } from "../tables/types/declared-type.js";
import type { PropertyKey } from "./property-key.js";

/** How to name several property keys with the same name. */
export type DuplicateNames = "merge" | "suffix" | "error";

/** A property column: its name and the keys whose values it holds, in order of key. */
export interface NamedColumn {
  readonly column: string;
  readonly keys: readonly PropertyKey[];
}

/** Input of the naming besides the keys. */
export interface NamingContext {
  readonly duplicateNames: DuplicateNames;
  readonly datasetName: (datasetId: number) => string;
  /** Number of rows in which two of these keys have different values, neither null. */
  readonly conflicts: (keys: readonly PropertyKey[]) => number;
}

const taken = new Set<string>([...baseFields, "properties", "__proto__"]);

/** The columns of the keys that share a name, with diagnostics. */
interface NamedGroup {
  readonly columns: readonly NamedColumn[];
  readonly diagnostic?: Diagnostic;
}

/**
 * Returns the column name of every property key. The result depends on the set of keys and the values only, never on
 * their order.
 *
 * @param laterKeys keys that occur only in the log: the other names do not depend on them
 * @throws ArgumentError if names repeat and `duplicateNames` is `"error"`
 */
export function nameColumns(
  keys: readonly PropertyKey[],
  context: NamingContext,
  laterKeys: readonly PropertyKey[] = [],
): { readonly columns: readonly NamedColumn[]; readonly diagnostics: readonly Diagnostic[] } {
  const byName = groupByName(keys);
  const later = groupByName(laterKeys);
  const used = new Set([...byName.keys(), ...taken]);
  const named = new Map([...byName].map(([name, group]) => [name, nameGroup(name, group, context, used)] as const));
  const free = [...later.keys()].filter((name) => !used.has(name));
  for (const name of free) used.add(name);
  for (const [name, group] of later) {
    const sameName = { keys: byName.get(name) ?? [], columns: named.get(name)?.columns ?? [] };
    const isFree = free.includes(name);
    named.set(name, isFree ? nameGroup(name, group, context, used) : joinGroup(name, sameName, group, context, used));
  }
  return {
    columns: [...named.values()].flatMap(({ columns }) => columns),
    diagnostics: [
      ...clashDiagnostics(groupByName([...keys, ...laterKeys])),
      ...[...named.values()].flatMap(({ diagnostic }) => diagnostic ?? []),
    ],
  };
}

/** Names keys with the same name: a built-in key keeps it, the others share it or get suffixes. */
function nameGroup(name: string, group: readonly PropertyKey[], context: NamingContext, used: Set<string>): NamedGroup {
  const [builtIn, custom] = [group.filter(isBuiltIn), group.filter((key) => !isBuiltIn(key))];
  if (group.length === 1 || custom.length === 0) return { columns: [{ column: name, keys: group }] };
  refuseDuplicates(name, group, context);
  const obstacle = mergeObstacle(group, context);
  if (obstacle === undefined) return mergedGroup(name, group);
  const suffixed = suffixNames(name, custom, context, used);
  const plain = builtIn.length > 0 ? [{ column: name, keys: builtIn }] : [];
  return { columns: [...plain, ...suffixed], diagnostic: suffixDiagnostic(name, suffixed, obstacle) };
}

/** Adds keys to named keys: to their column, or as new columns with suffixes. */
function joinGroup(
  name: string,
  sameName: { readonly keys: readonly PropertyKey[]; readonly columns: readonly NamedColumn[] },
  group: readonly PropertyKey[],
  context: NamingContext,
  used: Set<string>,
): NamedGroup {
  const all = [...sameName.keys, ...group].sort((a, b) => compareText(a.key, b.key));
  refuseDuplicates(name, all, context);
  const obstacle = sameName.keys.length === 0 ? "another column has that name" : mergeObstacle(all, context);
  if (obstacle === undefined) return mergedGroup(name, all);
  const columns = [...sameName.columns, ...suffixNames(name, group, context, used)];
  return { columns, diagnostic: suffixDiagnostic(name, columns, obstacle) };
}

function mergedGroup(name: string, keys: readonly PropertyKey[]): NamedGroup {
  return { columns: [{ column: name, keys }], diagnostic: mergeDiagnostic(name, keys) };
}

function isBuiltIn(key: PropertyKey): boolean {
  return key.source === "built-in";
}

function groupByName(keys: readonly PropertyKey[]): Map<string, PropertyKey[]> {
  const groups = new Map<string, PropertyKey[]>();
  for (const key of [...keys].sort((a, b) => compareText(a.key, b.key))) {
    const name = plainName(key);
    const group = groups.get(name);
    if (group) group.push(key);
    else groups.set(name, [key]);
  }
  return new Map([...groups].sort(([a], [b]) => compareText(a, b)));
}

function plainName(key: PropertyKey): string {
  // A service may send a name that is not a string, which reads without `strict` keep.
  const given: unknown = key.definition ? key.definition.name : key.key;
  const name = typeof given === "string" && given !== "" ? given : "(unnamed)";
  return taken.has(name) ? `properties.${name}` : name;
}

function refuseDuplicates(name: string, group: readonly PropertyKey[], context: NamingContext): void {
  if (context.duplicateNames !== "error") return;
  throw new ArgumentError(`${group.length} properties have the name ${showValue(name)}.`, {
    hint: 'Set duplicateNames: "merge" or "suffix", or select fewer datasets.',
    facts: { column: name, property_keys: group.map((key) => key.key) },
  });
}

/** The reason that keys with the same name cannot be one column; undefined if they can. */
function mergeObstacle(group: readonly PropertyKey[], context: NamingContext): string | undefined {
  if (group.some(isBuiltIn)) return "a built-in key has that name";
  if (context.duplicateNames === "suffix") return 'duplicateNames is "suffix"';
  const types = [...new Set(group.map((key) => key.definition?.type))];
  if (types.length > 1) return `their types differ (${types.join(", ")})`;
  const rows = context.conflicts(group);
  return rows === 0 ? undefined : `${rows} ${rows === 1 ? "feature has" : "features have"} two different values`;
}

/**
 * `Name (dataset)`, else `Name (first 8 hex digits)`, else `Name (whole UUID)`. All candidates are checked together so that
 * the order of keys makes no difference, and no suffix is the name of another column.
 */
function suffixNames(
  name: string,
  group: readonly PropertyKey[],
  context: NamingContext,
  used: Set<string>,
): NamedColumn[] {
  const forms: ((key: PropertyKey) => string)[] = [
    (key) => `${name} (${key.definition ? context.datasetName(key.definition.dataset_id) : shortKey(key)})`,
    (key) => `${name} (${shortKey(key)})`,
    (key) => `${name} (${key.key})`,
  ];
  const named: NamedColumn[] = [];
  let open = [...group];
  for (const form of forms) {
    const candidates = open.map(form);
    const isFree = (candidate: string) =>
      !used.has(candidate) && candidates.filter((other) => other === candidate).length === 1;
    const settled = open.filter((key) => isFree(form(key)));
    for (const key of settled) named.push({ column: form(key), keys: [key] });
    open = open.filter((key) => !settled.includes(key));
    for (const { column } of named) used.add(column);
  }
  for (const key of open) named.push({ column: distinctName(`${name} (${key.key})`, used), keys: [key] });
  return named;
}

function shortKey(key: PropertyKey): string {
  return isBuiltIn(key) ? "built-in" : key.key.slice(0, 8);
}

function distinctName(name: string, used: Set<string>): string {
  let candidate = name;
  for (let n = 2; used.has(candidate); n += 1) candidate = `${name} (${n})`;
  used.add(candidate);
  return candidate;
}

function clashDiagnostics(groups: ReadonlyMap<string, readonly PropertyKey[]>): Diagnostic[] {
  const isClash = (key: PropertyKey) => taken.has(key.definition?.name ?? key.key);
  return [...groups]
    .filter(([, group]) => group.some(isClash))
    .map(([name, group]) =>
      withSeverity({
        code: "property-name-taken",
        message: `A property has the name of a base field. Its column is named ${showValue(name)}.`,
        facts: { column: name, property_keys: group.map((key) => key.key) },
      }),
    );
}

function mergeDiagnostic(name: string, group: readonly PropertyKey[]): Diagnostic {
  return withSeverity({
    code: "column-merged",
    message: `${showValue(name)} holds ${group.length} properties of the same name and type.`,
    count: group.length,
    facts: { column: name, property_keys: group.map((key) => key.key) },
  });
}

function suffixDiagnostic(name: string, columns: readonly NamedColumn[], reason: string): Diagnostic {
  const names = columns.map(({ column }) => column);
  return withSeverity({
    code: "column-suffixed",
    message: `Properties named ${showValue(name)} have separate columns because ${reason}: ${names.map((item) => showValue(item)).join(", ")}.`,
    count: columns.length,
    facts: { column: name, columns: names, property_keys: columns.flatMap(({ keys }) => keys.map((key) => key.key)) },
  });
}

/** The type in the definition of a property column; if merged, in the first definition. */
export function propertyType({ keys }: NamedColumn): DeclaredType {
  const definition = keys.find((key) => key.definition)?.definition;
  return { of: "property", type: definition?.type, key: keys[0]?.key };
}

/** The values of a property column for a table, with its type for exports. A DATETIME is a `Date`. */
export function propertyValues(property: NamedColumn, values: Column): Column {
  const type = propertyType(property);
  const isOfInstants = propertyRule(type.type)?.kind === "instant";
  return declareType(isOfInstants ? new DateColumn(values) : values, type);
}
