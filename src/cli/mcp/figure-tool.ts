import { isDeepStrictEqual } from "node:util";
import type { ImageContent } from "@modelcontextprotocol/server";
import { ArgumentError } from "../../core/errors.js";
import { type Finding, findingsOf } from "../../core/finding.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, type OptionRules, oneOf } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { progressSpecification } from "../../history/questions/progress.js";
import type { Specification } from "../../history/questions/specification.js";
import type { Inspection } from "../../layer/inspect-captures.js";
import type { History, Layer } from "../../layer/layer.js";
import { ageing, ageingFigureRules } from "../../plot/charts/ageing-buckets.js";
import { burnDown, burnDownRules } from "../../plot/charts/burn-down.js";
import { captureChanges, captureChangesRules } from "../../plot/charts/capture-changes.js";
import { cumulativeFlow, cumulativeFlowRules } from "../../plot/charts/cumulative-flow.js";
import { editHeatmap, editHeatmapRules } from "../../plot/charts/edit-heatmap.js";
import { histogram, histogramRules } from "../../plot/charts/histogram.js";
import { lateEdits, lateEditsRules } from "../../plot/charts/late-edits.js";
import { pareto, paretoRules } from "../../plot/charts/pareto.js";
import { progressBars, progressBarsRules } from "../../plot/charts/progress-bars.js";
import { sCurve, sCurveRules } from "../../plot/charts/s-curve.js";
import { survivalCurve, survivalCurveRules } from "../../plot/charts/survival-curve.js";
import {
  cycleTimeHistogram,
  cycleTimeScatter,
  flowFigureRules,
  netFlow,
  workInProgress,
} from "../../plot/charts/ticket-flow.js";
import { timeInStatus, timeInStatusRules } from "../../plot/charts/time-in-status.js";
import { transitionMap, transitionMapRules } from "../../plot/charts/transition-map.js";
import { valueOverTime, valueOverTimeRules } from "../../plot/charts/value-over-time.js";
import type { Figure } from "../../plot/figure/figure.js";
import { figureRules } from "../../plot/figure/figure-options.js";
import { svgSize } from "../../plot/figure/svg-text.js";
import { layerMap, mapRules } from "../../plot/maps/layer-map.js";
import { mapAt, mapAtRules } from "../../plot/maps/map-at.js";
import { toUnpaintedBundle } from "../../tables/display/to-unpainted-bundle.js";
import { commonSchema, objectSchema, shownFindings, shownProvenance } from "./tool-answer.js";
import {
  checkArguments,
  choiceParameter,
  optionParameters,
  type Parameter,
  type Parameters,
  parameters,
  type Taken,
  type ToolArguments,
} from "./tool-arguments.js";
import {
  type Asked,
  askHistory,
  dataResult,
  historyOf,
  inspect,
  inspectionParameters,
  layerNames,
  ofHistory,
  questionParameters,
  required,
  type Tool,
} from "./tools.js";

/** What is drawn, and what to know of it. */
interface Drawn {
  readonly figure: Figure;
  readonly findings: readonly Finding[];
}

/** A kind of figure: which data it is of, and which options it takes. */
interface FigureKind extends Taken {
  readonly shows: string;
  /** The tool whose arguments it takes, and those of them. */
  readonly like?: readonly [tool: string, takes: Parameters];
  draw(asked: Asked, given: ToolArguments): Promise<Drawn>;
}

/** What can be given of the options of a chart: those that are no options of every figure. */
function chartParameters(rules: object): Parameters {
  return optionParameters(
    Object.fromEntries(Object.entries(rules).filter(([name]) => !Object.hasOwn(figureRules, name))),
  );
}

function chartOptions<Options extends object>(rules: OptionRules<Options>, given: ToolArguments): Options {
  const names = Object.keys(chartParameters(rules));
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))) as Options;
}

/** Figures of a history, most of one of its columns. */
function ofColumn<Options extends object>(
  shows: string,
  rules: OptionRules<Options>,
  chart: (history: History, column: string, options: Options) => Figure,
): FigureKind {
  return {
    shows,
    takes: { ...ofHistory, ...parameters("column"), ...chartParameters(rules) },
    needs: [...layerNames, "column"],
    draw: async (asked, given) => {
      const { layer, history } = await historyOf(asked, given);
      const figure = chart(history, required("column", given.column), chartOptions(rules, given));
      return { figure, findings: [...layer.findings, ...history.findings] };
    },
  };
}

function ofLog<Options extends object>(
  shows: string,
  rules: OptionRules<Options>,
  chart: (history: History, options: Options) => Figure,
): FigureKind {
  return {
    shows,
    takes: { ...ofHistory, ...chartParameters(rules) },
    needs: layerNames,
    draw: async (asked, given) => {
      const { layer, history } = await historyOf(asked, given);
      return { figure: chart(history, chartOptions(rules, given)), findings: [...layer.findings, ...history.findings] };
    },
  };
}

/** Figures of a layer, as it is or as it was at a time. */
function ofLayer<Options extends object>(
  shows: string,
  rules: OptionRules<Options>,
  chart: (layer: Layer, column: string | undefined, options: Options) => Figure,
  needs: readonly string[] = [],
): FigureKind {
  return {
    shows,
    takes: { ...ofHistory, ...parameters("column", "at"), ...chartParameters(rules) },
    needs: [...layerNames, ...needs],
    draw: async (asked, given) => {
      const layer = await layerAsOf(asked, given);
      return { figure: chart(layer, given.column, chartOptions(rules, given)), findings: layer.findings };
    },
  };
}

/** A layer as it is, without its log, or as it was. */
async function layerAsOf(asked: Asked, given: ToolArguments): Promise<Layer> {
  const { site, layer, timeZone, at, knownAt } = given;
  if (at === undefined && knownAt === undefined) {
    return (await asked.layers.layer(required("site", site), required("layer", layer), timeZone)).layer;
  }
  const { history } = await historyOf(asked, given);
  return history.layerAt(at ?? history.until);
}

function ofInspection<Options extends object>(
  shows: string,
  rules: OptionRules<Options>,
  chart: (found: Inspection, options: Options) => Figure,
): FigureKind {
  const { by: _, ...own } = chartParameters(rules);
  return {
    shows,
    like: ["inspection", inspectionParameters],
    takes: { ...own, ...inspectionParameters },
    needs: ["site", "layers", "classes"],
    draw: async (asked, given) => {
      const found = await inspect(asked, given);
      // What an inspection is by its figure is by.
      const { by: _, ...options } = chartOptions(rules, given) as { readonly by?: unknown };
      return { figure: chart(found, options as Options), findings: found.findings };
    },
  };
}

const ofProgress = questionParameters(progressSpecification as Specification);

const progressFigure: FigureKind = {
  shows: "how far the work is by group, with the plan",
  like: ["progress", ofProgress],
  takes: { ...ofHistory, ...ofProgress, ...optionParameters({ measure: progressBarsRules.measure }) },
  needs: [...layerNames, "column"],
  draw: async (asked, { measure, ...given }) => {
    const { layer, history } = await historyOf(asked, given);
    const table = askHistory(history, "progress", progressSpecification as Specification, given);
    const figure = progressBars(table, measure === undefined ? {} : { measure: measure as "percent" | "quantity" });
    return { figure, findings: [...layer.findings, ...findingsOf(table)] };
  },
};

const kinds: Readonly<Record<string, FigureKind>> = {
  cumulativeFlow: ofColumn("how many features held each value, over time", cumulativeFlowRules, cumulativeFlow),
  burnDown: ofColumn("what is not done, over time, with the fan of a forecast", burnDownRules, burnDown),
  sCurve: ofColumn("the share that reached each stage, over time, beside its plan", sCurveRules, sCurve),
  progressBars: progressFigure,
  ageing: ofColumn("how long what is open has been open", ageingFigureRules, ageing),
  survivalCurve: ofColumn("how long it takes from one value to another", survivalCurveRules, survivalCurve),
  timeInStatus: ofColumn("how long features held each value", timeInStatusRules, timeInStatus),
  transitionMap: ofColumn("how often one value followed another", transitionMapRules, transitionMap),
  valueOverTime: ofColumn("a line for each feature", valueOverTimeRules, valueOverTime),
  cycleTimeHistogram: ofColumn("cycle times, as a histogram", flowFigureRules, cycleTimeHistogram),
  cycleTimeScatter: ofColumn("cycle times, one dot an item", flowFigureRules, cycleTimeScatter),
  workInProgress: ofColumn("what is in progress, by age", flowFigureRules, workInProgress),
  netFlow: ofColumn("what arrived less what was done, by interval", flowFigureRules, netFlow),
  editHeatmap: ofLog("when was edited, by weekday and hour", editHeatmapRules, editHeatmap),
  lateEdits: ofLog("edits that were overtaken before they came in", lateEditsRules, lateEdits),
  layerMap: ofLayer("where features are, coloured by a column, at a time", mapRules, layerMap),
  mapAt: ofColumn("maps of several dates side by side", mapAtRules, mapAt),
  histogram: ofLayer(
    "numbers of a column, at a time",
    histogramRules,
    (layer, column, options) => histogram(layer, required("column", column), options),
    ["column"],
  ),
  pareto: ofLayer("what each value comes to, largest first, at a time", paretoRules, (layer, _, options) =>
    pareto(layer, options),
  ),
  inspectionPareto: ofInspection("what each class of anomalies comes to, largest first", paretoRules, pareto),
  captureChanges: ofInspection("what became of anomalies from capture to capture", captureChangesRules, captureChanges),
};

/** What the kinds take under one name, in the words of the first, and all choices. Each kind checks its own. */
function allParameters(): Parameters {
  const all: Record<string, Parameter> = {};
  for (const [name, { description, rule }] of Object.values(kinds).flatMap(({ takes }) => Object.entries(takes))) {
    const first = all[name] ?? { description, rule };
    const [known, more] = [first.rule.schema?.enum, rule.schema?.enum];
    const schema = known && more ? oneOf(...new Set([...known, ...more])).schema : rule.schema;
    const isSame = isDeepStrictEqual(first.rule.schema?.type, schema?.type) && !known === !more;
    all[name] = { ...first, rule: { ...anything, takes: first.rule.takes, schema: isSame ? schema : undefined } };
  }
  return all;
}

const ofEveryKind = ["site", "layer", "knownAt", "timeZone"];

function kindText([name, { shows, takes, like: [tool, told] = ["", {}] }]: readonly [string, FigureKind]): string {
  const own = Object.keys(takes).filter((option) => !ofEveryKind.includes(option) && !Object.hasOwn(told, option));
  return `${name} (${[...(tool ? [`as ${tool}`] : []), ...own].join(", ")}): ${shows}`;
}

/** Draws figures as PNG. */
export const figureTool: Tool = {
  description: `Draws a figure as a PNG image, with words that tell what it shows. The kinds, and what each takes: ${Object.entries(
    kinds,
  )
    .map(kindText)
    .join("; ")}.`,
  takes: { ...allParameters(), ...choiceParameter("kind", Object.keys(kinds)) },
  needs: ["kind", "site"],
  outputSchema: objectSchema({
    kind: { type: "string" },
    words: { type: "string", description: "What the figure shows." },
    width: { type: "integer", description: "Width of the image in pixels." },
    bytes: { type: "integer" },
    ...commonSchema,
  }),
  async call(asked, { kind = "", ...given }) {
    const found = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (!found) {
      throw new ArgumentError(`There is no figure ${showValue(kind)}.`, { hint: nameHint(kind, Object.keys(kinds)) });
    }
    const { figure, findings } = await found.draw(asked, checkArguments(`figure ${kind}`, found, given));
    const { png, width, isSmaller } = await fittingPng(figure);
    const answer = {
      kind,
      words: String(toUnpaintedBundle(figure)?.bundle["text/plain"] ?? ""),
      ...{ width, bytes: png.length },
      provenance: shownProvenance(figure.provenance),
      findings: shownFindings(findings),
    };
    const size = isSmaller ? `It was drawn ${width} pixels wide to stay within ${MOST_BYTES / 1000} kB. ` : "";
    const { content, structuredContent = {} } = dataResult(answer, `${size}The words in the image are data, too.`);
    const image: ImageContent = { type: "image", mimeType: "image/png", data: Buffer.from(png).toString("base64") };
    return { content: [...content, image], structuredContent };
  },
};

/** A larger image costs an assistant more than it tells. */
const MOST_BYTES = 200_000;
/** For sharp screens. */
const SCALE = 2;
/** Pixels of the longest side, in reach of what can be drawn. */
const LONGEST = 16_000;

/** A figure for sharp screens, or as much smaller as it takes. */
async function fittingPng(figure: Figure) {
  const { width, height } = svgSize(figure.toSVG());
  let scale = Math.min(SCALE, LONGEST / Math.max(width, height));
  for (;;) {
    const png = await figure.toPNG({ scale });
    if (png.length <= MOST_BYTES) return { png, width: Math.round(width * scale), isSmaller: scale < SCALE };
    // Half as wide a drawing takes less than half of the bytes, but more than a quarter.
    scale *= Math.min(0.9, (MOST_BYTES / png.length) ** 0.7);
  }
}
