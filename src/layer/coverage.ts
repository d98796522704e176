import type { ColumnTable } from "arquero";
import type { Geometry, MultiPolygon, Polygon } from "geojson";
import { ArgumentError } from "../core/errors.js";
import type { Finding } from "../core/finding.js";
import { showValue } from "../core/show-value.js";
import type { Column } from "../tables/column/column.js";
import { isTable } from "../tables/column/is-table.js";
import type { Layer } from "./layer.js";
import { Areas } from "./place/areas.js";
import { centreOf, type Point } from "./place/geometry-place.js";
import { type Places, placedTable } from "./place/places.js";

/** What reads the blocks of operations: a source. */
export interface BlockSource {
  /**
   * Specification: GET /blocks.
   *
   * @param params which operations
   */
  blocks(params: { readonly operation_id: readonly number[] }): Promise<ColumnTable>;
}

/** Polygons that one capture was flown over. */
export type CoverageArea = Layer | Places | Polygon | MultiPolygon;

/** What captures were flown over: a source, polygons with an `operation_id`, or polygons for each layer. */
export type Coverage = BlockSource | Layer | Places | readonly CoverageArea[];

/** What one capture was flown over. */
interface FlownArea {
  readonly areas: Areas;
  /** What each polygon is called, by row. */
  readonly names: Column;
  readonly rowCount: number;
}

/** What captures were flown over, in the order of time. */
export class FlownAreas {
  /** Captures of which nothing says what they were flown over, polygons that are none, features outside. */
  readonly findings: readonly Finding[];
  /** What it was made of, in words. */
  readonly words: string;
  readonly #captures: readonly FlownArea[];

  constructor(captures: readonly FlownArea[], words: string, findings: readonly Finding[]) {
    this.#captures = captures;
    this.words = words;
    this.findings = findings;
  }

  /** Whether a capture was flown over a place. Of what has no place nobody knows. */
  covers(capture: number, point: Point | null): boolean {
    return point !== null && this.#rowsAt(capture, point).length > 0;
  }

  /** What the polygon of a capture is called in which a place lies, of several the first; null if there is none. */
  nameAt(capture: number, point: Point | null): unknown {
    const [row] = point === null ? [] : this.#rowsAt(capture, point);
    return row === undefined ? null : (this.#captures[capture]?.names.at(row) ?? null);
  }

  #rowsAt(capture: number, point: Point): readonly number[] {
    return (this.#captures[capture] as FlownArea).areas.rowsAt(point);
  }
}

/**
 * What captures were flown over.
 *
 * @param call whose option it is
 * @param layers one for each capture
 * @param labels what the captures are called
 * @throws ArgumentError for what has no polygons, and what does not say which capture they are of
 */
export async function flownAreas(
  call: string,
  layers: readonly Layer[],
  labels: readonly unknown[],
  given: Coverage,
): Promise<FlownAreas> {
  const { areas, words } = await areasOf(`coverage of ${call}`, layers, labels, given);
  const blind = areas.flatMap(({ areas: { count } }, place) => (count === 0 ? [labels[place]] : []));
  if (blind.length === areas.length) {
    throw new ArgumentError(`coverage of ${call} has no polygon for any capture: ${words}.`, {
      hint: "Without coverage every capture counts as flown over everything.",
      facts: { captures: blind },
    });
  }
  const findings = [...blindFinding(blind), ...faultyFinding(areas), ...outsideFinding(areas, layers, labels)];
  return new FlownAreas(areas, words, findings);
}

interface NamedAreas {
  readonly areas: readonly FlownArea[];
  readonly words: string;
}

async function areasOf(
  call: string,
  layers: readonly Layer[],
  labels: readonly unknown[],
  given: unknown,
): Promise<NamedAreas> {
  if (Array.isArray(given)) {
    if (given.length !== layers.length) {
      throw new ArgumentError(
        `${call} takes polygons for each layer: got ${given.length} for ${layers.length} layers.`,
        {
          hint: "Give them in the order of the layers.",
        },
      );
    }
    const areas = given.map((one) => {
      const { table, geometries } = placedTable(featureOf(one), call);
      return flownArea(table, geometries, allRows(table));
    });
    return { areas, words: "polygons of each capture" };
  }
  const operations = layers.map((layer, place) => operationsOf(call, layer, labels[place]));
  const ids = [...new Set(operations.flat())].sort((a, b) => a - b);
  const { table, geometries } = placedTable(
    isBlockSource(given) ? await given.blocks({ operation_id: ids }) : featureOf(given),
    call,
  );
  const words = `blocks of ${ids.length === 1 ? "operation" : "operations"} ${ids.join(", ")}`;
  const owners = table.column("operation_id");
  if (!owners && table.numRows() > 0) {
    throw new ArgumentError(`${call} has no operation_id, so that nobody knows which capture its polygons are of.`, {
      hint: "Give a column operation_id, or an array with polygons for each layer.",
      facts: { columns: table.columnNames() },
    });
  }
  const ownerOf = Array.from(owners ?? [], (id: unknown) => (id === null || id === undefined ? null : Number(id)));
  const areas = operations.map((own) => {
    const rows = allRows(table).filter((row) => own.some((id) => id === ownerOf[row]));
    return flownArea(table, geometries, rows);
  });
  return { areas, words };
}

function isBlockSource(given: unknown): given is BlockSource {
  const { blocks } = Object(given) as Partial<BlockSource>;
  return typeof blocks === "function" && !isTable(given);
}

/** A geometry as what has one. */
function featureOf(given: unknown): Places {
  const isArea = ["Polygon", "MultiPolygon"].includes(String(Reflect.get(Object(given), "type")));
  return isArea ? { type: "Feature", geometry: given as Geometry, properties: null } : (given as Places);
}

function allRows(table: ColumnTable): readonly number[] {
  return Array.from({ length: table.numRows() }, (_, row) => row);
}

/** The operations that a layer is of: those of its features, of an empty one those of its datasets. */
function operationsOf(call: string, { table, input }: Layer, label: unknown): readonly number[] {
  const ofFeatures = distinctIds(table.column("operation_id") ?? []);
  if (ofFeatures.length > 0) return ofFeatures;
  const datasets = input.datasets.filter(({ id }) => table.numRows() === 0 && input.layoutDatasetIds.includes(id));
  const ofDatasets = distinctIds(datasets.map(({ operation_id }) => operation_id));
  if (ofDatasets.length > 0) return ofDatasets;
  throw new ArgumentError(`${call}: nothing says which operation the layer of capture ${showValue(label)} is of.`, {
    hint: "Give an array with polygons for each layer.",
    facts: { capture: label },
  });
}

function distinctIds(ids: Iterable<unknown>): readonly number[] {
  return [...new Set(ids)].filter((id) => id !== null && id !== undefined).map(Number);
}

const nameColumns = ["name", "visible_id", "polygon_id", "id"];

function flownArea(table: ColumnTable, geometries: Column, rows: readonly number[]): FlownArea {
  const columns = nameColumns.map((name) => table.column(name) ?? []);
  const names = rows.map((row) => columns.map((column) => column.at(row) ?? null).find((name) => name !== null));
  return { areas: new Areas(rows.map((row) => geometries.at(row))), names, rowCount: rows.length };
}

function blindFinding(captures: readonly unknown[]): readonly Finding[] {
  const count = captures.length;
  if (count === 0) return [];
  const [what, them] = count === 1 ? ["capture", "it does"] : ["captures", "they do"];
  return [
    {
      code: "without-coverage",
      message: `Nothing says what ${count} ${what} (${captures.join(", ")}) flew over; what ${them} not show is not surveyed there.`,
      count,
      facts: { captures },
    },
  ];
}

function faultyFinding(areas: readonly FlownArea[]): readonly Finding[] {
  const count = areas.reduce((sum, { areas: { count: sound }, rowCount }) => sum + rowCount - sound, 0);
  if (count === 0) return [];
  const have = count === 1 ? "row has" : "rows have";
  return [
    {
      code: "malformed-geometry",
      message: `${count} ${have} no polygon in the coverage, and count as not flown over.`,
      count,
    },
  ];
}

/** What a capture shows although it was not flown over it. */
function outsideFinding(
  areas: readonly FlownArea[],
  layers: readonly Layer[],
  labels: readonly unknown[],
): readonly Finding[] {
  const outside = layers.map(({ table }, place) => {
    const flown = areas[place] as FlownArea;
    if (flown.areas.count === 0) return 0;
    const points = Array.from(table.column("geometry") ?? [], centreOf);
    return points.filter((point) => point && flown.areas.rowsAt(point).length === 0).length;
  });
  const count = outside.reduce((sum, one) => sum + one, 0);
  if (count === 0) return [];
  const captures = labels.filter((_, place) => outside[place] !== 0);
  return [
    {
      code: "outside-coverage",
      message: `${count} ${count === 1 ? "feature lies" : "features lie"} outside of what their capture flew over (${captures.join(", ")}).`,
      count,
      facts: { captures, counts: outside.filter((one) => one !== 0) },
    },
  ];
}
