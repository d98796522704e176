import type { ColumnTable } from "arquero";
import type { Geometry, MultiPolygon, Polygon } from "geojson";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { ArgumentError } from "../core/errors.js";
import { showValue } from "../core/show-value.js";
import type { Column } from "../tables/column/column.js";
import { isTable } from "../tables/column/is-table.js";
import type { Layer } from "./layer.js";
import { Areas } from "./place/areas.js";
import { centerOf, type Point } from "./place/geometry-measures.js";
import { type GeometrySource, geometryTable } from "./place/geometry-table.js";

/** Reader of the blocks of operations: a source. */
export interface BlockSource {
  /**
   * Specification: GET /blocks.
   *
   * @param params which operations
   */
  blocks(params: { readonly operation_id: readonly number[] }): Promise<ColumnTable>;
}

/** Polygons of one capture. */
export type CaptureArea = Layer | GeometrySource | Polygon | MultiPolygon;

/** Survey areas of captures: a source, polygons with an `operation_id`, or polygons for each layer. */
export type SurveyArea = BlockSource | Layer | GeometrySource | readonly CaptureArea[];

/** Survey area of one capture. */
interface FlownArea {
  readonly areas: Areas;
  /** Name of each polygon, by row. */
  readonly names: Column;
  readonly rowCount: number;
}

/** Survey areas of captures, in chronological order. */
export class SurveyAreas {
  /** Captures without a survey area, malformed polygons, features outside. */
  readonly diagnostics: readonly Diagnostic[];
  /** Its origin, in words. */
  readonly words: string;
  readonly #captures: readonly FlownArea[];

  constructor(captures: readonly FlownArea[], words: string, diagnostics: readonly Diagnostic[]) {
    this.#captures = captures;
    this.words = words;
    this.diagnostics = diagnostics;
  }

  /** Whether a capture surveyed a location; unknown without a location. */
  covers(capture: number, point: Point | null): boolean {
    return point !== null && this.#rowsAt(capture, point).length > 0;
  }

  /** The name of the polygon of a capture that contains a location; the first of several; null without one. */
  nameAt(capture: number, point: Point | null): unknown {
    const [row] = point === null ? [] : this.#rowsAt(capture, point);
    return row === undefined ? null : (this.#captures[capture]?.names.at(row) ?? null);
  }

  #rowsAt(capture: number, point: Point): readonly number[] {
    return (this.#captures[capture] as FlownArea).areas.rowsAt(point);
  }
}

/**
 * Returns the survey areas of captures.
 *
 * @param call name of the call, for messages
 * @param layers one per capture
 * @param labels names of the captures
 * @throws ArgumentError if polygons, or their captures, are missing
 */
export async function surveyAreas(
  call: string,
  layers: readonly Layer[],
  labels: readonly unknown[],
  given: SurveyArea,
): Promise<SurveyAreas> {
  const { areas, words } = await areasOf(`surveyArea of ${call}`, layers, labels, given);
  const blind = areas.flatMap(({ areas: { count } }, index) => (count === 0 ? [labels[index]] : []));
  if (blind.length === areas.length) {
    throw new ArgumentError(`surveyArea of ${call} has no polygons for any capture: ${words}.`, {
      hint: "Omit surveyArea if every capture covers everything.",
      facts: { captures: blind },
    });
  }
  const diagnostics = [
    ...blindDiagnostic(blind),
    ...faultyDiagnostic(areas),
    ...outsideDiagnostic(areas, layers, labels),
  ];
  return new SurveyAreas(areas, words, diagnostics);
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
        `${call} must have polygons for each layer, got ${given.length} for ${layers.length} layers.`,
        {
          hint: "Pass them in the order of the layers.",
        },
      );
    }
    const areas = given.map((one) => {
      const { table, geometries } = geometryTable(featureOf(one), call);
      return flownArea(table, geometries, allRows(table));
    });
    return { areas, words: "polygons of each capture" };
  }
  const operations = layers.map((layer, index) => operationsOf(call, layer, labels[index]));
  const ids = [...new Set(operations.flat())].sort((a, b) => a - b);
  const { table, geometries } = geometryTable(
    isBlockSource(given) ? await given.blocks({ operation_id: ids }) : featureOf(given),
    call,
  );
  const words = `blocks of ${ids.length === 1 ? "operation" : "operations"} ${ids.join(", ")}`;
  const owners = table.column("operation_id");
  if (!owners && table.numRows() > 0) {
    throw new ArgumentError(`${call} has no column operation_id to assign its polygons to captures.`, {
      hint: "Add a column operation_id, or pass an array with polygons for each layer.",
      facts: { columns: table.columnNames() },
    });
  }
  const ownerOf = Array.from(owners ?? [], (id: unknown) => (id === null || id === undefined ? null : Number(id)));
  const areas = operations.map((captureOperations) => {
    const rows = allRows(table).filter((row) => captureOperations.some((id) => id === ownerOf[row]));
    return flownArea(table, geometries, rows);
  });
  return { areas, words };
}

function isBlockSource(given: unknown): given is BlockSource {
  const { blocks } = Object(given) as Partial<BlockSource>;
  return typeof blocks === "function" && !isTable(given);
}

/** A geometry as a feature. */
function featureOf(given: unknown): GeometrySource {
  const isArea = ["Polygon", "MultiPolygon"].includes(String(Reflect.get(Object(given), "type")));
  return isArea ? { type: "Feature", geometry: given as Geometry, properties: null } : (given as GeometrySource);
}

function allRows(table: ColumnTable): readonly number[] {
  return Array.from({ length: table.numRows() }, (_, row) => row);
}

/** The operations of a layer: those of its features; if it is empty, those of its datasets. */
function operationsOf(call: string, { table, input }: Layer, label: unknown): readonly number[] {
  const ofFeatures = distinctIds(table.column("operation_id") ?? []);
  if (ofFeatures.length > 0) return ofFeatures;
  const datasets = input.datasets.filter(({ id }) => table.numRows() === 0 && input.layoutDatasetIds.includes(id));
  const ofDatasets = distinctIds(datasets.map(({ operation_id }) => operation_id));
  if (ofDatasets.length > 0) return ofDatasets;
  throw new ArgumentError(`${call}: unknown operation of the layer of capture ${showValue(label)}.`, {
    hint: "Pass an array with polygons for each layer.",
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

function blindDiagnostic(captures: readonly unknown[]): readonly Diagnostic[] {
  const count = captures.length;
  if (count === 0) return [];
  const [what, them] = count === 1 ? ["capture has", "it does"] : ["captures have", "they do"];
  return [
    withSeverity({
      code: "survey-area-missing",
      message: `${count} ${what} no survey area (${captures.join(", ")}). Features that ${them} not show count as not surveyed.`,
      count,
      facts: { captures },
    }),
  ];
}

function faultyDiagnostic(areas: readonly FlownArea[]): readonly Diagnostic[] {
  const count = areas.reduce((sum, { areas: { count: sound }, rowCount }) => sum + rowCount - sound, 0);
  if (count === 0) return [];
  const have = count === 1 ? "row has" : "rows have";
  return [
    withSeverity({
      code: "geometry-malformed",
      message: `${count} ${have} no polygon in surveyArea and ${count === 1 ? "counts" : "count"} as not surveyed.`,
      count,
    }),
  ];
}

/** The diagnostic for features outside the survey area of their capture. */
function outsideDiagnostic(
  areas: readonly FlownArea[],
  layers: readonly Layer[],
  labels: readonly unknown[],
): readonly Diagnostic[] {
  const outside = layers.map(({ table }, index) => {
    const flown = areas[index] as FlownArea;
    if (flown.areas.count === 0) return 0;
    const points = Array.from(table.column("geometry") ?? [], centerOf);
    return points.filter((point) => point && flown.areas.rowsAt(point).length === 0).length;
  });
  const count = outside.reduce((sum, one) => sum + one, 0);
  if (count === 0) return [];
  const captures = labels.filter((_, index) => outside[index] !== 0);
  return [
    withSeverity({
      code: "feature-outside-survey-area",
      message: `${count} ${count === 1 ? "feature is" : "features are"} outside the survey area of ${count === 1 ? "its" : "their"} capture (${captures.join(", ")}).`,
      count,
      facts: { captures, counts: outside.filter((one) => one !== 0) },
    }),
  ];
}
