/**
 * Sources, layers, histories and snapshots.
 *
 * @module siteframe
 */
export type { LayoutDefinition, LayoutProperty, LayoutSection, Page, Pagination } from "./api/contract.js";
export type { Params } from "./api/filters.js";
export type {
  Block,
  Dataset,
  LayerFeature,
  Operation,
  PropertyChange,
  PropertyDefinition,
  Records,
  ResourceName,
  SemanticType,
  Site,
} from "./api/resources.js";
export type { PageParams, ReadOptions, ReadProgress, RequestEvent } from "./client/read-options.js";
export { type Diagnostic, type DiagnosticCode, type DiagnosticSeverity, diagnosticsOf } from "./core/diagnostic.js";
export {
  ApiError,
  ArgumentError,
  AuthError,
  BadRequestError,
  BasemapError,
  DependencyError,
  DriftError,
  EngineError,
  type EngineProblem,
  FileError,
  NetworkError,
  ProtocolError,
  QueryError,
  RateLimitError,
  ServerError,
  SiteframeError,
  SnapshotError,
} from "./core/errors.js";
export type { Origin } from "./core/provenance.js";
export { type Provenance, provenanceOf } from "./core/provenance.js";
export type { CellState } from "./history/cell/cell-state.js";
export type { CreditOptions, Credits } from "./history/columns/credits.js";
export type { StepOptions } from "./history/columns/step-order.js";
export type { WeighFeature, Weight, WeightOptions } from "./history/columns/weights.js";
export type { GroupOptions } from "./history/grid/group-codes.js";
export type { HistoryOptions } from "./history/history-options.js";
export type { JoinableTable } from "./history/join/join-table.js";
export type { LazyHistory } from "./history/lazy/lazy-history.js";
export type { LazyOptions, LazyTable } from "./history/lazy/lazy-table.js";
export type { LazyHistoryOptions } from "./history/lazy/open-lazy-history.js";
export type { Aging, AgingOptions } from "./history/questions/aging.js";
export type { AsOfOptions } from "./history/questions/as-of.js";
export type { CauseRow } from "./history/questions/cause-trees.js";
export type { ChangeRow } from "./history/questions/changes.js";
export type { CountRow } from "./history/questions/counts.js";
export type { DifferenceRow } from "./history/questions/diff.js";
export type { DurationOptions, DurationRow } from "./history/questions/durations.js";
export type { EditsByUser, UserEditsRow, UserHourRow } from "./history/questions/edits-by-user.js";
export { type DuckDB, type DuckDBOptions, duckdb } from "./history/questions/engine/duckdb.js";
export type { Engine, EngineQueryOptions, EngineRows } from "./history/questions/engine/engine.js";
export { trino } from "./history/questions/engine/trino.js";
export type { TrinoAuth, TrinoOptions } from "./history/questions/engine/trino-options.js";
export type { FirstReachedRow } from "./history/questions/first-reached.js";
export type { Flow, FlowOptions } from "./history/questions/flow.js";
export type { Forecast, ForecastOptions } from "./history/questions/forecast.js";
export type { IntervalRow } from "./history/questions/intervals.js";
export type { JoinAsOfOptions } from "./history/questions/join-as-of.js";
export type { LateEditRow } from "./history/questions/late-edits.js";
export type { LateEntriesOptions, LateEntryRow } from "./history/questions/late-entries.js";
export type { DoneOptions } from "./history/questions/memory/done-counts.js";
export type { PanelRow } from "./history/questions/panel.js";
export type { QuantityOptions } from "./history/questions/plan/dated-plan.js";
export type { PanelOptions } from "./history/questions/plan/panel-plan.js";
export type { Plan, PlanOptions, PlanVariance } from "./history/questions/plan-variance.js";
export type { ProgressOptions, ProgressTable } from "./history/questions/progress.js";
export type { Reconciliation } from "./history/questions/reconcile.js";
export type { Dialect, DialectName, SnapshotTable } from "./history/questions/sql/dialect/dialect.js";
export type { StateRow, StatesOptions } from "./history/questions/states.js";
export type { StepRow, StepsOptions } from "./history/questions/steps.js";
export type { Survival, SurvivalOptions } from "./history/questions/survival.js";
export type { TotalRow } from "./history/questions/totals.js";
export type { TransitionRow } from "./history/questions/transitions.js";
export type { VersionRow, VersionsOptions } from "./history/questions/versions.js";
export type {
  Components,
  PerComponent,
  SiteComponentsOptions,
  SiteOfLayers,
  SiteProgress,
  SiteProgressOptions,
} from "./history/site/report-site.js";
export { progress } from "./history/site/site-progress.js";
export type { Dates, Step } from "./history/time/date-grid.js";
export type { CalendarOption, GivenCalendar } from "./history/time/time-unit.js";
export type {
  PlainPoint,
  TemporalInstant,
  TemporalPlainDate,
  TemporalPoint,
  TemporalZonedDateTime,
  TimePoint,
} from "./history/time/valid-time.js";
export {
  type CalendarOptions,
  calendar,
  type HolidayList,
  type Instant,
  type ShortDay,
  type WeekdayName,
  type WorkingCalendar,
  type WorkingHours,
  type YearlyHolidays,
} from "./history/time/working-calendar.js";
export type {
  OcelAttribute,
  OcelEvent,
  OcelEventValue,
  OcelLog,
  OcelObject,
  OcelObjectValue,
  OcelOptions,
  OcelRelationship,
  OcelType,
  OcelValue,
} from "./history/to-ocel.js";
export type {
  AnomalyNumber,
  InspectionDimension,
  InspectionOptions,
  NumberOfRow,
  PeakPowerSource,
} from "./layer/anomaly-cases.js";
export type { CaptureOptions, FixedOption } from "./layer/captures.js";
export { type CaptureComparison, compareCaptures } from "./layer/compare-captures.js";
export type { Inspection } from "./layer/inspect-captures.js";
export { inspection } from "./layer/inspection.js";
export type {
  CaptureConditions,
  ImageColumns,
  IrradianceVerdict,
  PositionColumns,
  RecordOptions,
} from "./layer/inspection-record.js";
export type { DeriveOptions, DeriveValue, History, Layer } from "./layer/layer.js";
export type { ColumnSchema, LayerOptions } from "./layer/layer-data.js";
export type { LookupOptions } from "./layer/lookup-relation.js";
export type { DuplicateNames } from "./layer/name-columns.js";
export type { GeometrySource } from "./layer/place/geometry-table.js";
export type { SpatialJoinOptions } from "./layer/place/spatial-join.js";
export type { BlockSource, CaptureArea, SurveyArea } from "./layer/survey-area.js";
export type {
  ComparedGeneration,
  DiffCounts,
  DiffSnapshotsOptions,
  SnapshotDiff,
} from "./snapshot/diff/compare-states.js";
export { diffSnapshots } from "./snapshot/diff-snapshots.js";
export type { PinnedGeneration } from "./snapshot/folder/pin-folder.js";
export type { RowCounts } from "./snapshot/format/manifest.js";
export type { WrittenDuckLake } from "./snapshot/lake/write-lake.js";
export type { OpenSnapshotOptions } from "./snapshot/open-folder.js";
export { openSnapshot } from "./snapshot/open-snapshot.js";
export { type PinGenerationOptions, pinGeneration } from "./snapshot/pin-generation.js";
export type { PullProgress } from "./snapshot/pull/pull-context.js";
export type { PullRemainder } from "./snapshot/pull/pull-estimate.js";
export type { PullOptions, PullReport } from "./snapshot/pull/pull-options.js";
export { pull } from "./snapshot/pull.js";
export type { Snapshot, SqlOptions, ToSQLOptions, WriteToOptions } from "./snapshot/snapshot.js";
export type { Verification } from "./snapshot/verify-folder.js";
export { verifySnapshot } from "./snapshot/verify-snapshot.js";
export { type WriteDuckLakeOptions, writeDuckLake } from "./snapshot/write-ducklake.js";
export type { ChangeField, ChangeRows, ChangeValue, FromChangesOptions } from "./source/changes-options.js";
export { type ConnectOptions, connect } from "./source/connect.js";
export { fromChanges } from "./source/from-changes.js";
export { type FromRecordsOptions, fromRecords, type RecordSet } from "./source/from-records.js";
export type { LayerRow, SiteSource } from "./source/site-source.js";
export { Source } from "./source/source.js";
export type { CellValue, FeatureRow, ResourceRow, RowTable } from "./tables/column/row-table.js";
export type { DanfoLike } from "./tables/display/html/table-view.js";
export { type Shown, type ShowOptions, show } from "./tables/display/show.js";
export type { DanfoFrame } from "./tables/export/danfo-frame.js";
export type { ExportOptions } from "./tables/export/export-table.js";
export {
  tableToArrow as toArrow,
  tableToArrowIPC as toArrowIPC,
  tableToCSV as toCSV,
  tableToDanfo as toDanfo,
  tableToGeoJSON as toGeoJSON,
  tableToGeoPackage as toGeoPackage,
  tableToParquet as toParquet,
  tableToXLSX as toXLSX,
  type XlsxSheets,
  type XlsxTable,
} from "./tables/export/table-exports.js";
export type { ArrowOptions } from "./tables/export/to-arrow.js";
export type { CsvOptions } from "./tables/export/to-csv.js";
export type { GeoPackageOptions } from "./tables/export/to-geopackage.js";
export type { XlsxOptions, XlsxPicture } from "./tables/export/to-xlsx.js";
export type { WriteFormat } from "./tables/sql/copy-select.js";
export type { LayerSqlOptions } from "./tables/sql/run-sql.js";
export type { ParquetOptions } from "./tables/sql/to-parquet.js";
