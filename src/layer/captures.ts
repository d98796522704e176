import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { sameJson } from "../core/json.js";
import { nameHint } from "../core/nearest-name.js";
import { anything, checkOptions, list, numeric, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import type { Column } from "../tables/column/column.js";
import { toTable } from "../tables/column/table.js";
import type { Layer } from "./layer.js";
import type { ColumnSchema } from "./layer-data.js";
import { featureId, isLayer, UnresolvedIds } from "./lookup-relation.js";
import { optionList } from "./option-labels.js";
import { metersBetween, type Point } from "./place/geometry-measures.js";
import { nearestPairs } from "./place/nearest-points.js";
import type { SurveyArea } from "./survey-area.js";

/** The features of one capture, by row. */
export interface Capture {
  readonly ids: readonly number[];
  /** Center of each feature; null if it has no location. */
  readonly points: readonly (Point | null)[];
  /** Ids of the earlier features that each feature refers to; unknown ids are skipped. */
  readonly related: readonly (readonly number[])[];
}

/** How a feature was matched with an earlier one. */
type MatchedBy = "id" | "relation" | "place";

/** One feature of a capture as part of a chain. */
export interface Sighting {
  /** Index of the chain, in order of first sighting. */
  readonly chain: number;
  readonly capture: number;
  readonly row: number;
  /** The previous sighting in the chain. */
  readonly previous: Sighting | null;
  readonly by: MatchedBy | null;
  /** Meters from the previous sighting; null if either has no location. */
  readonly meters: number | null;
  /** Whether a capture in between surveyed the location and did not show the feature. */
  readonly wasGone: boolean;
}

/** Whether a capture surveyed the location of an earlier sighting. */
export type IsSurveyed = (capture: number, sighting: Sighting) => boolean;

/** A feature and the chain that it may continue. */
interface Pair {
  readonly row: number;
  readonly chain: number;
  readonly meters: number;
}

/**
 * Links the features of captures into chains: each chain is one object on site, and a capture shows it at most once.
 *
 * Features are matched with the last sighting of chains, in four rounds: by shared id, by relation, by location with chains
 * that still exist as far as is known, and by location with chains that are gone. Each round matches the nearest pair
 * first; ties go to the chain that began first, then to the first row. Each feature and each chain is matched once.
 *
 * @param captures in chronological order
 * @param maxMeters maximum distance of two sightings that are matched by location
 * @param isSurveyed whether a capture without the chain surveyed its location; if so, the chain is gone
 * @returns the sightings of each capture, by row
 */
export function chainCaptures(
  captures: readonly Capture[],
  maxMeters: number,
  isSurveyed: IsSurveyed,
): readonly (readonly Sighting[])[] {
  const chains = new Chains(captures, isSurveyed);
  return captures.map((capture, index) => {
    const round = new Round(chains, capture, index);
    round.match(
      "id",
      round.named((row) => [capture.ids[row] as number]),
    );
    round.match(
      "relation",
      round.named((row) => capture.related[row] as readonly number[]),
    );
    round.matchNear(maxMeters, (last) => !chains.isGone(last, index));
    round.matchNear(maxMeters, () => true);
    return round.finish();
  });
}

/** All chains so far. */
class Chains {
  /** The last sighting of each chain. */
  readonly last: Sighting[] = [];
  /** The chain of each feature id. */
  readonly ofFeature = new Map<number, number>();
  readonly #captures: readonly Capture[];
  readonly #isSurveyed: IsSurveyed;

  constructor(captures: readonly Capture[], isSurveyed: IsSurveyed) {
    this.#captures = captures;
    this.#isSurveyed = isSurveyed;
  }

  /** Whether a capture between the last sighting and `before` surveyed the location and did not show the chain. */
  isGone(last: Sighting, before: number): boolean {
    for (let capture = last.capture + 1; capture < before; capture += 1) {
      if (this.#isSurveyed(capture, last)) return true;
    }
    return false;
  }

  /** The location of a sighting. */
  pointOf({ capture, row }: Sighting): Point | null {
    return this.#captures[capture]?.points[row] ?? null;
  }
}

/** Matching of one capture. */
class Round {
  readonly #chains: Chains;
  readonly #capture: Capture;
  readonly #index: number;
  /** By row; null until it is matched. */
  readonly #sightings: (Sighting | null)[];

  constructor(chains: Chains, capture: Capture, index: number) {
    this.#chains = chains;
    this.#capture = capture;
    this.#index = index;
    this.#sightings = capture.ids.map(() => null);
  }

  /** Pairs of rows and the chains of the features that they refer to. */
  named(idsOf: (row: number) => readonly number[]): Pair[] {
    const pairs: Pair[] = [];
    for (let row = 0; row < this.#capture.ids.length; row += 1) {
      for (const id of idsOf(row)) {
        const chain = this.#chains.ofFeature.get(id);
        if (chain === undefined) continue;
        pairs.push({ row, chain, meters: this.#meters(row, chain) ?? Number.POSITIVE_INFINITY });
      }
    }
    return pairs;
  }

  /** Matches rows and chains that are near each other. */
  matchNear(maxMeters: number, isMeant: (last: Sighting) => boolean): void {
    const open = this.#capture.points.map((point, row) => (this.#sightings[row] ? null : point));
    const meant = this.#chains.last.map((last) =>
      !this.#isTaken(last) && isMeant(last) ? this.#chains.pointOf(last) : null,
    );
    for (const [row, chain] of nearestPairs(open, meant, maxMeters)) this.#matched("place", row, chain);
  }

  /** Matches the nearest pairs first, each row and each chain once. */
  match(by: MatchedBy, pairs: readonly Pair[]): void {
    const open = pairs.filter((pair) => this.#isOpen(pair)).sort(comparePairs);
    for (const pair of open) if (this.#isOpen(pair)) this.#matched(by, pair.row, pair.chain);
  }

  /** Whether both the row and the chain of a pair are unmatched. */
  #isOpen({ row, chain }: Pair): boolean {
    return !this.#sightings[row] && !this.#isTaken(this.#chains.last[chain] as Sighting);
  }

  #matched(by: MatchedBy, row: number, chain: number): void {
    const previous = this.#chains.last[chain] as Sighting;
    const wasGone = this.#chains.isGone(previous, this.#index);
    this.#add({ chain, capture: this.#index, row, previous, by, meters: this.#meters(row, chain), wasGone });
  }

  /** Starts chains with the unmatched rows. */
  finish(): readonly Sighting[] {
    return this.#sightings.map((seen, row) => {
      const [capture, chain] = [this.#index, this.#chains.last.length];
      const begun = { chain, capture, row, previous: null, by: null, meters: null, wasGone: false };
      const sighting = seen ?? this.#add(begun);
      this.#chains.ofFeature.set(this.#capture.ids[row] as number, sighting.chain);
      return sighting;
    });
  }

  #add(sighting: Sighting): Sighting {
    this.#sightings[sighting.row] = sighting;
    this.#chains.last[sighting.chain] = sighting;
    return sighting;
  }

  /** Whether the chain that ends with a sighting is already in this capture. */
  #isTaken(last: Sighting): boolean {
    return last.capture === this.#index;
  }

  #meters(row: number, chain: number): number | null {
    const [here, last] = [this.#capture.points[row], this.#chains.last[chain]];
    const there = last ? this.#chains.pointOf(last) : null;
    return here && there ? metersBetween(here, there) : null;
  }
}

/** Nearest first, then the chain that began first, then the first row. */
function comparePairs(a: Pair, b: Pair): number {
  // The difference of two infinite distances is NaN.
  if (a.meters !== b.meters) return a.meters - b.meters;
  return a.chain - b.chain || a.row - b.row;
}

/** What happened to an object since the previous capture. */
export type CaptureStatus = "new" | "persistent" | "fixed" | "returned" | "not_surveyed";

/** Whether the feature of a row is marked as fixed; undefined if the capture has no status. */
export type FixedMarks = ((row: number) => boolean) | undefined;

/** A capture with its rows. */
export interface NamedCapture {
  readonly label: string | number;
  readonly operationIds: Column;
  readonly ids: Column;
  readonly visibleIds: Column;
  /** As in `Capture`. */
  readonly points: readonly (Point | null)[];
  readonly isFixed: FixedMarks;
}

/** One chain in one capture. */
export interface CaptureLine {
  /** Index of the capture, in chronological order. */
  readonly index: number;
  readonly chain: number;
  readonly status: CaptureStatus;
  /** Sighting in this capture; null if the capture does not show the chain. */
  readonly now: Sighting | null;
  readonly previous: Sighting | null;
  /** Whether the status says "fixed"; null without a status. */
  readonly isMarkedFixed: boolean | null;
}

/** A table with one row per line: the columns of every comparison, then the given ones. */
export function captureTable(
  captures: readonly NamedCapture[],
  lines: readonly CaptureLine[],
  more: readonly (readonly [string, Column])[],
): ColumnTable {
  const captureOf = ({ index }: CaptureLine) => captures[index] as NamedCapture;
  const cell = (sighting: Sighting | null, name: "ids" | "visibleIds"): unknown =>
    sighting === null ? null : (captures[sighting.capture]?.[name].at(sighting.row) ?? null);
  const column = (name: string, of: (line: CaptureLine) => unknown) => [name, lines.map(of)] as const;
  return toTable([
    column("capture", (line) => captureOf(line).label),
    column("operation_id", (line) => captureOf(line).operationIds.at(line.now?.row ?? 0) ?? null),
    column("chain", ({ chain }) => chain + 1),
    column("status", ({ status }) => status),
    column("id", ({ now }) => cell(now, "ids")),
    column("visible_id", ({ now }) => cell(now, "visibleIds")),
    column("previous_id", ({ previous }) => cell(previous, "ids")),
    column("previous_visible_id", ({ previous }) => cell(previous, "visibleIds")),
    column("matched_by", ({ now }) => now?.by ?? null),
    column("distance_m", ({ now }) => now?.meters ?? null),
    column("marked_fixed", ({ isMarkedFixed }) => isMarkedFixed),
    ...more,
  ]);
}

/**
 * The chains that each capture shows, and the missing ones: once if the capture surveyed the location, and in each
 * capture until one does.
 */
export function captureLines(
  captures: readonly NamedCapture[],
  sightings: readonly (readonly Sighting[])[],
  isSurveyed: IsSurveyed,
): readonly CaptureLine[] {
  // The last sighting of each chain that exists as far as is known.
  const there: (Sighting | null)[] = [];
  return sightings.flatMap((now, index) => {
    for (const sighting of now) there[sighting.chain] = sighting;
    const lines: CaptureLine[] = [];
    for (const [chain, seen] of there.entries()) {
      if (!seen) continue;
      const isMarkedFixed = markOf(captures, seen);
      if (seen.capture === index) {
        const status = statusOf(captures, seen);
        lines.push({ index, chain, status, now: seen, previous: seen.previous, isMarkedFixed });
        continue;
      }
      const status = isSurveyed(index, seen) ? "fixed" : "not_surveyed";
      lines.push({ index, chain, status, now: null, previous: seen, isMarkedFixed });
      if (status === "fixed") there[chain] = null;
    }
    return lines;
  });
}

function statusOf(captures: readonly NamedCapture[], sighting: Sighting): CaptureStatus {
  const { previous, wasGone } = sighting;
  if (previous === null) return "new";
  if (wasGone) return "returned";
  // If both are marked, it is unknown whether the first was marked before the second was seen.
  const cameBack = markOf(captures, previous) === true && markOf(captures, sighting) !== true;
  return cameBack ? "returned" : "persistent";
}

/** Whether a sighting is marked as fixed; null if its capture has no status. */
function markOf(captures: readonly NamedCapture[], sighting: Sighting): boolean | null {
  return captures[sighting.capture]?.isFixed?.(sighting.row) ?? null;
}

/** How to recognize features that are marked as fixed. */
export interface FixedOption {
  /** Column with the status: `"Repair"`. */
  readonly column: string;
  /** Values that mean "fixed"; codes or labels for an OPTION property. Default: `FIXED`, in any case. */
  readonly values?: readonly unknown[];
}

/** Options of `compareCaptures()`. */
export interface CaptureOptions {
  /** Maximum distance of the same object in two captures, in meters. */
  readonly maxMeters: number;
  /** Column with the id of the same object in an earlier capture: `"Previous finding"`. */
  readonly relation?: string;
  /**
   * How to recognize features that are marked as fixed. Default: `STATUS` is `FIXED`, in any case; without that column, the
   * first OPTION property with such a choice.
   */
  readonly fixed?: FixedOption;
  /** Name of each capture, such as its date: one for each layer. Default: 1, 2, 3, … */
  readonly labels?: readonly (string | number)[];
  /**
   * Area of each capture. Features outside of it are `not_surveyed`, never `fixed`. A source (the blocks of the layers'
   * operations are read, `GET /blocks`); a layer, a table or GeoJSON with polygons and an `operation_id`; or an array with
   * polygons for each layer. Default: every capture covers everything.
   */
  readonly surveyArea?: SurveyArea;
}

/** Rules of the options. */
export const captureRules: OptionRules<CaptureOptions> = {
  maxMeters: numeric,
  relation: text,
  fixed: {
    takes: "{ column } or { column, values }",
    schema: { type: "object" },
    accepts: (value) => {
      const { column, values, ...rest } = Object(value) as Readonly<Record<string, unknown>>;
      const areValues = values === undefined || (Array.isArray(values) && values.length > 0);
      return text.accepts(column) && areValues && Object.keys(rest).length === 0;
    },
  },
  labels: list,
  surveyArea: anything,
};

/** Complete options of a comparison. */
export type ResolvedCaptures = CaptureOptions & Required<Pick<CaptureOptions, "labels">>;

/** @throws ArgumentError for invalid layers and options */
export function resolveComparison(layers: unknown, options: CaptureOptions): ResolvedCaptures {
  checkOptions("compareCaptures()", options, captureRules);
  if (!Array.isArray(layers) || layers.length < 2 || !layers.every(isLayer)) {
    throw new ArgumentError(`compareCaptures() needs at least two layers, got ${showValue(layers)}.`, {
      hint: "Pass one layer per capture, oldest first: compareCaptures([before, after], { maxMeters: 3 }).",
    });
  }
  return resolveCaptures(layers.length, { ...options });
}

/**
 * Returns complete options for a number of captures.
 *
 * @throws ArgumentError for the wrong number of labels, and for a missing distance between two captures or more
 */
export function resolveCaptures(count: number, options: Partial<CaptureOptions>): ResolvedCaptures {
  return { ...options, maxMeters: distanceOf(count, options), labels: labelsOf(count, options) };
}

/** The distance; a single capture needs none, since there is nothing to match. */
function distanceOf(count: number, { maxMeters = count === 1 ? 1 : undefined }: Partial<CaptureOptions>): number {
  if (maxMeters === undefined || !(maxMeters > 0)) {
    throw new ArgumentError(`maxMeters must be a number of meters above 0, got ${showValue(maxMeters)}.`, {
      hint: "Set the maximum distance of the same object in two captures: { maxMeters: 3 }.",
    });
  }
  return maxMeters;
}

function labelsOf(count: number, { labels }: Partial<CaptureOptions>): readonly (string | number)[] {
  if (labels === undefined) return Array.from({ length: count }, (_, index) => index + 1);
  if (labels.length === count && new Set(labels).size === labels.length) return labels;
  throw new ArgumentError(`labels must have one unique name per layer, got ${labels.length} for ${count} layers.`, {
    hint: "Omit labels to number the captures from 1.",
    facts: { labels },
  });
}

/** Ids of earlier features that features refer to. */
export interface RelatedIds {
  /** Ids of features, by capture and row. */
  readonly ids: readonly (readonly (readonly number[])[])[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns the ids in a column of captures.
 *
 * @param tables in chronological order
 * @param relation the column; without it the lists are empty
 * @throws ArgumentError if no table has the column
 */
export function relatedIds(tables: readonly ColumnTable[], relation: string | undefined): RelatedIds {
  if (relation === undefined) return { ids: tables.map(noIds), diagnostics: [] };
  requireColumn(
    tables.flatMap((table) => table.columnNames()),
    relation,
  );
  const earlier = new Set<number>();
  const unresolved = new UnresolvedIds();
  const ids = tables.map((table) => {
    const column = table.column(relation);
    const named = column ? Array.from(column, (value: unknown) => idsOf(value, earlier, unresolved)) : noIds(table);
    for (const id of table.column("id") ?? []) earlier.add(Number(id));
    return named;
  });
  return { ids, diagnostics: unresolved.diagnostics(relation, "of an earlier capture", "they are ignored") };
}

function idsOf(value: unknown, earlier: ReadonlySet<number>, unresolved: UnresolvedIds): readonly number[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => {
    if (one === null || one === undefined) return [];
    const id = featureId(one);
    if (earlier.has(id)) return [id];
    unresolved.add(one);
    return [];
  });
}

function noIds(table: ColumnTable): readonly (readonly number[])[] {
  return Array.from({ length: table.numRows() }, () => []);
}

/** @throws ArgumentError if no layer has a column */
export function requireColumn(all: readonly string[], column: string): void {
  const names = [...new Set(all)];
  if (names.includes(column)) return;
  throw new ArgumentError(`Unknown column: ${showValue(column)}.`, {
    hint: nameHint(column, names),
    facts: { column },
  });
}

/** Default status of a fixed feature. */
const FIXED = "fixed";

/**
 * The status of the features of each capture: the given column, else `STATUS`, else the first OPTION property with a choice
 * of that name.
 *
 * @throws ArgumentError if no layer has the given column
 */
export function fixedMarks(layers: readonly Layer[], option: FixedOption | undefined): readonly FixedMarks[] {
  if (option !== undefined) {
    requireColumn(
      layers.flatMap(({ schema }) => schema.map(({ column }) => column)),
      option.column,
    );
  }
  return layers.map(({ schema, table }) => {
    const status = option === undefined ? schema.find(isStatus) : schema.find(({ column }) => column === option.column);
    if (!status) return undefined;
    const isFixed = saysFixed(status, option?.values);
    const values = table.column(status.column);
    return (row) => isFixed(values?.at(row));
  });
}

function isStatus({ column, source, definitions }: ColumnSchema): boolean {
  return (column === "STATUS" && source === "built-in") || fixedCodes(definitions).length > 0;
}

/** The codes of choices whose code or label is the default. */
function fixedCodes(definitions: ColumnSchema["definitions"]): readonly unknown[] {
  const isCalledSo = (name: unknown) => String(name).toLowerCase() === FIXED;
  return definitions.flatMap((definition) =>
    optionList(definition).flatMap(({ code, label }) => (isCalledSo(code) || isCalledSo(label) ? [code] : [])),
  );
}

function saysFixed({ definitions }: ColumnSchema, values: readonly unknown[] | undefined): (value: unknown) => boolean {
  if (!values) {
    const codes = fixedCodes(definitions);
    return (value) => (typeof value === "string" && value.toLowerCase() === FIXED) || codes.includes(value);
  }
  const labelled = definitions.flatMap((definition) => optionList(definition));
  // Tables contain codes or labels, depending on `optionLabels`; accept both.
  const others = labelled.flatMap(({ code, label }) =>
    values.includes(label) ? [code] : values.includes(code) ? [label] : [],
  );
  const all = [...values, ...others];
  return (value) => all.some((one) => sameJson(one, value ?? null));
}
