import type { ColumnTable } from "arquero";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { sameJson } from "../core/json.js";
import { nameHint } from "../core/nearest-name.js";
import { anything, checkOptions, list, numeric, type OptionRules, text } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import type { Column } from "../tables/column/column.js";
import { toTable } from "../tables/column/table.js";
import type { Coverage } from "./coverage.js";
import { featureId, isLayer, UnresolvedIds } from "./follow-relation.js";
import type { Layer } from "./layer.js";
import type { ColumnSchema } from "./layer-data.js";
import { optionList } from "./option-labels.js";
import { metersBetween, type Point } from "./place/geometry-place.js";
import { nearestPairs } from "./place/nearest-points.js";

/** The features of one capture, by row. */
export interface Capture {
  readonly ids: readonly number[];
  /** Their centres; null where a feature has no place. */
  readonly points: readonly (Point | null)[];
  /** The features that each says it is the same as; ids of no earlier capture are passed over. */
  readonly related: readonly (readonly number[])[];
}

/** How a feature was found to be the same as an earlier one. */
type MatchedBy = "id" | "relation" | "place";

/** One feature of a capture as part of a chain. */
export interface Sighting {
  /** Place of the chain among all, in the order in which they begin. */
  readonly chain: number;
  readonly capture: number;
  readonly row: number;
  /** The sighting before it in the chain. */
  readonly previous: Sighting | null;
  readonly by: MatchedBy | null;
  /** Metres from the sighting before; null where either has no place. */
  readonly meters: number | null;
  /** Whether a capture between the sighting before and this one was flown over the place and did not show it. */
  readonly wasGone: boolean;
}

/** Whether a capture was flown over the place of an earlier sighting. */
export type IsSurveyed = (capture: number, sighting: Sighting) => boolean;

/** A feature of a capture that may be the next sighting of a chain. */
interface Pair {
  readonly row: number;
  readonly chain: number;
  readonly meters: number;
}

/**
 * Makes chains of the features of captures: each is one thing on site, which a capture shows at most once.
 *
 * Features are matched with the last sighting of chains, in four rounds: by the id that they share, by relation, by place
 * with chains that are there as far as is known, by place with those that are gone. In each round the nearest pair is matched
 * first, of equally near ones that of the chain that began first, then that of the first row, and each feature and each
 * chain once.
 *
 * @param captures in the order of time
 * @param maxMeters how far apart two sightings may be that are matched by place
 * @param isSurveyed of a chain that captures do not show: gone is what one of them was flown over
 * @returns the sightings of each capture, by row
 */
export function chainCaptures(
  captures: readonly Capture[],
  maxMeters: number,
  isSurveyed: IsSurveyed,
): readonly (readonly Sighting[])[] {
  const chains = new Chains(captures, isSurveyed);
  return captures.map((capture, place) => {
    const round = new Round(chains, capture, place);
    round.match(
      "id",
      round.named((row) => [capture.ids[row] as number]),
    );
    round.match(
      "relation",
      round.named((row) => capture.related[row] as readonly number[]),
    );
    round.matchNear(maxMeters, (last) => !chains.isGone(last, place));
    round.matchNear(maxMeters, () => true);
    return round.finish();
  });
}

/** All chains so far. */
class Chains {
  /** The last sighting of each. */
  readonly last: Sighting[] = [];
  /** The chain of each feature that was seen. */
  readonly ofFeature = new Map<number, number>();
  readonly #captures: readonly Capture[];
  readonly #isSurveyed: IsSurveyed;

  constructor(captures: readonly Capture[], isSurveyed: IsSurveyed) {
    this.#captures = captures;
    this.#isSurveyed = isSurveyed;
  }

  /** Whether a capture after the last sighting of a chain and before another one was flown over it and did not show it. */
  isGone(last: Sighting, before: number): boolean {
    for (let capture = last.capture + 1; capture < before; capture += 1) {
      if (this.#isSurveyed(capture, last)) return true;
    }
    return false;
  }

  /** Where a thing was seen. */
  pointOf({ capture, row }: Sighting): Point | null {
    return this.#captures[capture]?.points[row] ?? null;
  }
}

/** The matching of one capture. */
class Round {
  readonly #chains: Chains;
  readonly #capture: Capture;
  readonly #place: number;
  /** By row; null as long as it is matched with no chain. */
  readonly #sightings: (Sighting | null)[];

  constructor(chains: Chains, capture: Capture, place: number) {
    this.#chains = chains;
    this.#capture = capture;
    this.#place = place;
    this.#sightings = capture.ids.map(() => null);
  }

  /** Pairs of rows and the chains of the features that they name. */
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

  /** Matches the nearest first, each row and each chain once. */
  match(by: MatchedBy, pairs: readonly Pair[]): void {
    const open = pairs.filter((pair) => this.#isOpen(pair)).sort(comparePairs);
    for (const pair of open) if (this.#isOpen(pair)) this.#matched(by, pair.row, pair.chain);
  }

  /** Whether neither the row nor the chain of a pair is matched. */
  #isOpen({ row, chain }: Pair): boolean {
    return !this.#sightings[row] && !this.#isTaken(this.#chains.last[chain] as Sighting);
  }

  #matched(by: MatchedBy, row: number, chain: number): void {
    const previous = this.#chains.last[chain] as Sighting;
    const wasGone = this.#chains.isGone(previous, this.#place);
    this.#add({ chain, capture: this.#place, row, previous, by, meters: this.#meters(row, chain), wasGone });
  }

  /** Begins chains with the rows that are left. */
  finish(): readonly Sighting[] {
    return this.#sightings.map((found, row) => {
      const [capture, chain] = [this.#place, this.#chains.last.length];
      const begun = { chain, capture, row, previous: null, by: null, meters: null, wasGone: false };
      const sighting = found ?? this.#add(begun);
      this.#chains.ofFeature.set(this.#capture.ids[row] as number, sighting.chain);
      return sighting;
    });
  }

  #add(sighting: Sighting): Sighting {
    this.#sightings[sighting.row] = sighting;
    this.#chains.last[sighting.chain] = sighting;
    return sighting;
  }

  /** Whether the chain that ends with a sighting has one in this capture. */
  #isTaken(last: Sighting): boolean {
    return last.capture === this.#place;
  }

  #meters(row: number, chain: number): number | null {
    const [here, last] = [this.#capture.points[row], this.#chains.last[chain]];
    const there = last ? this.#chains.pointOf(last) : null;
    return here && there ? metersBetween(here, there) : null;
  }
}

/** The nearest first, then the chain that began first, then the first row. */
function comparePairs(a: Pair, b: Pair): number {
  // Two infinite distances have no difference.
  if (a.meters !== b.meters) return a.meters - b.meters;
  return a.chain - b.chain || a.row - b.row;
}

/** What became of a thing on site from the capture before to this one. */
export type CaptureStatus = "new" | "persistent" | "fixed" | "returned" | "not surveyed";

/** Whether the feature of a row is said to be fixed; undefined where a capture has no status. */
export type FixedMarks = ((row: number) => boolean) | undefined;

/** A capture as its rows show it. */
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
  /** The capture's place in time. */
  readonly place: number;
  readonly chain: number;
  readonly status: CaptureStatus;
  /** In this capture; null where it does not show the chain. */
  readonly now: Sighting | null;
  readonly previous: Sighting | null;
  /** Whether its status says that it was fixed; null where there is none. */
  readonly isMarkedFixed: boolean | null;
}

/** One row a line, with columns that are put behind those that every comparison has. */
export function captureTable(
  captures: readonly NamedCapture[],
  lines: readonly CaptureLine[],
  more: readonly (readonly [string, Column])[],
): ColumnTable {
  const captureOf = ({ place }: CaptureLine) => captures[place] as NamedCapture;
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
 * The chains that each capture shows, and those that it does not: once those that it was flown over, and those that it was
 * not flown over for as long as nobody looks.
 */
export function captureLines(
  captures: readonly NamedCapture[],
  sightings: readonly (readonly Sighting[])[],
  isSurveyed: IsSurveyed,
): readonly CaptureLine[] {
  // The last sighting of each chain that is there, as far as is known.
  const there: (Sighting | null)[] = [];
  return sightings.flatMap((now, place) => {
    for (const sighting of now) there[sighting.chain] = sighting;
    const lines: CaptureLine[] = [];
    for (const [chain, seen] of there.entries()) {
      if (!seen) continue;
      const isMarkedFixed = markOf(captures, seen);
      if (seen.capture === place) {
        const status = statusOf(captures, seen);
        lines.push({ place, chain, status, now: seen, previous: seen.previous, isMarkedFixed });
        continue;
      }
      const status = isSurveyed(place, seen) ? "fixed" : "not surveyed";
      lines.push({ place, chain, status, now: null, previous: seen, isMarkedFixed });
      if (status === "fixed") there[chain] = null;
    }
    return lines;
  });
}

function statusOf(captures: readonly NamedCapture[], sighting: Sighting): CaptureStatus {
  const { previous, wasGone } = sighting;
  if (previous === null) return "new";
  if (wasGone) return "returned";
  // Of two that are both marked nobody knows whether the mark of the first came before the second was seen.
  const cameBack = markOf(captures, previous) === true && markOf(captures, sighting) !== true;
  return cameBack ? "returned" : "persistent";
}

/** Whether a sighting is marked as fixed; null where its capture has no status. */
function markOf(captures: readonly NamedCapture[], sighting: Sighting): boolean | null {
  return captures[sighting.capture]?.isFixed?.(sighting.row) ?? null;
}

/** Which features are marked as fixed. */
export interface FixedOption {
  /** The column that says it: `"Repair"`. */
  readonly column: string;
  /** What it says of them; of an OPTION property codes or labels. By default what reads `FIXED`, in whatever case. */
  readonly values?: readonly unknown[];
}

/** Options of `compareCaptures()`. */
export interface CaptureOptions {
  /** How far apart the same thing may lie in two captures, in metres. */
  readonly maxDistance: number;
  /** The column that names the feature of an earlier capture that is the same thing: `"Previous finding"`. */
  readonly relation?: string;
  /**
   * Which features are marked as fixed. By default those whose `STATUS` says `FIXED`, in whatever case; without that column,
   * those of the first OPTION property that has such a choice.
   */
  readonly fixed?: FixedOption;
  /** What the captures are called, such as their dates: one for each layer. Default: 1, 2, 3, … */
  readonly labels?: readonly (string | number)[];
  /**
   * What each capture was flown over; what lies outside of it is `not surveyed` there, and never `fixed`. A source, whose
   * blocks of the layers' operations are read (`GET /blocks`); a layer, a table or GeoJSON with polygons and an
   * `operation_id`; or an array with polygons for each layer. Without it every capture counts as flown over everything.
   */
  readonly coverage?: Coverage;
}

/** What they may be. */
export const captureRules: OptionRules<CaptureOptions> = {
  maxDistance: numeric,
  relation: text,
  fixed: {
    takes: "{ column, values }, of which values may be left out",
    schema: { type: "object" },
    accepts: (value) => {
      const { column, values, ...rest } = Object(value) as Readonly<Record<string, unknown>>;
      const areValues = values === undefined || (Array.isArray(values) && values.length > 0);
      return text.accepts(column) && areValues && Object.keys(rest).length === 0;
    },
  },
  labels: list,
  coverage: anything,
};

/** Options by which captures are followed. */
export type ResolvedCaptures = CaptureOptions & Required<Pick<CaptureOptions, "labels">>;

/** @throws ArgumentError for layers and options that it cannot compare by */
export function resolveComparison(layers: unknown, options: CaptureOptions): ResolvedCaptures {
  checkOptions("compareCaptures()", options, captureRules);
  if (!Array.isArray(layers) || layers.length < 2 || !layers.every(isLayer)) {
    throw new ArgumentError(`compareCaptures() takes two layers or more, got ${showValue(layers)}.`, {
      hint: "Give one layer for each capture, in the order of time.",
    });
  }
  return resolveCaptures(layers.length, { ...options });
}

/**
 * The options of so many captures, as they were checked.
 *
 * @throws ArgumentError for labels that are not as many, and for no distance between two captures or more
 */
export function resolveCaptures(count: number, options: Partial<CaptureOptions>): ResolvedCaptures {
  return { ...options, maxDistance: distanceOf(count, options), labels: labelsOf(count, options) };
}

/** Of a single capture there is nothing to match, whatever the distance. */
function distanceOf(count: number, { maxDistance = count === 1 ? 1 : undefined }: Partial<CaptureOptions>): number {
  if (maxDistance === undefined || !(maxDistance > 0)) {
    throw new ArgumentError(`maxDistance takes a number of metres above 0, got ${showValue(maxDistance)}.`, {
      hint: "Say how far apart the same thing may lie in two captures.",
    });
  }
  return maxDistance;
}

function labelsOf(count: number, { labels }: Partial<CaptureOptions>): readonly (string | number)[] {
  if (labels === undefined) return Array.from({ length: count }, (_, place) => place + 1);
  if (labels.length === count && new Set(labels).size === labels.length) return labels;
  throw new ArgumentError(
    `labels takes one name for each layer, no two alike: got ${labels.length} for ${count} layers.`,
    {
      hint: "Leave them out to have captures counted from 1.",
      facts: { labels },
    },
  );
}

/** What the features of captures say that they are the same as. */
export interface RelatedIds {
  /** By capture and row: ids of features. */
  readonly ids: readonly (readonly (readonly number[])[])[];
  readonly findings: readonly Finding[];
}

/**
 * The ids in a column of captures.
 *
 * @param tables in the order of time
 * @param relation the column; without it there are none
 * @throws ArgumentError if no table has it
 */
export function relatedIds(tables: readonly ColumnTable[], relation: string | undefined): RelatedIds {
  if (relation === undefined) return { ids: tables.map(noIds), findings: [] };
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
  return { ids, findings: unresolved.findings(relation, "of an earlier capture", "they tell nothing") };
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
  throw new ArgumentError(`No layer has a column ${showValue(column)}.`, {
    hint: nameHint(column, names),
    facts: { column },
  });
}

/** What a status has to say where nobody says otherwise. */
const FIXED = "fixed";

/**
 * What the status of the features of each capture says: that of the column that is named, else of `STATUS`, else of the
 * first OPTION property that has a choice of the name.
 *
 * @throws ArgumentError if no layer has the column that is named
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

/** The choices that are called so. */
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
  // A layer has the codes or the labels, as `optionLabels` asks; either may be named.
  const others = labelled.flatMap(({ code, label }) =>
    values.includes(label) ? [code] : values.includes(code) ? [label] : [],
  );
  const all = [...values, ...others];
  return (value) => all.some((one) => sameJson(one, value ?? null));
}
