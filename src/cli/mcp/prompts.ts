import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { checkOptions, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { resolveTimePoint } from "../../history/time/valid-time.js";
import { jsonText } from "../../tables/export/export-values.js";
import { dataMeta, markData, markMeaning } from "./data-mark.js";
import { siteOf } from "./resources.js";
import type { ToolContext } from "./tools.js";

const time =
  "A calendar date (2025-06-30, the whole day), an ISO week (2025-W27, the whole week), or an instant with its time zone.";

const site = { name: "site", description: "Id or name of the site.", required: true } as const;

interface Template extends Omit<Prompt, "arguments"> {
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** Instructions, step by step. Names from the data follow in marks. */
  steps(given: Readonly<Record<string, string>>): string;
}

/** Rules for every report. */
const honesty = `Rules of the report:
- Give the day of each figure, and state once how old the data are (provenance.readAt).
- Explain the diagnostics of each answer in words, next to the figures that they concern.
- null is not 0: write "not known", and why if a diagnostic says so. Count values and states that are unknown separately.
- Do not state causes that are not in the data. Do not compute what a tool returns.
- If an answer has nextOffset, it is incomplete: request the rest, or state that only part is shown.
- If a tool returns an error, fix the call with its hint; otherwise report what is missing.`;

const reportDay = {
  name: "at",
  description: `The day of the report. ${time} Default: when the data were read.`,
  required: false,
};

const templates: readonly Template[] = [
  {
    name: "progress-report",
    title: "Progress report",
    description: "Progress of a site against its plan, and changes since the previous report.",
    arguments: [
      site,
      { name: "since", description: `The day of the previous report. ${time}`, required: false },
      reportDay,
    ],
    steps: ({
      since,
      at,
    }) => `Write a progress report of the site named below${at === undefined ? "" : `, as of ${at}`}.
1. layers of the site: find those with components (not tickets, anomalies, deviations or annotations).
2. describe each of them: the column of the stages (mostly STATUS) and its choices (part options), columns of planned dates, and columns of quantities.
3. siteProgress with column, done (the last stage of each component) or credits, plan if there is a column of planned dates${ofTimes({ at, since })}; then again with part totals and part stages. A component with other stage names needs its own column or done.
4. For each component that is not finished: forecast with the same done${at === undefined ? "" : ` and until ${at}`}; report P50 and P80, and the share of past forecasts that held (hit rate). Without a row, the log is too short.
5. ${since === undefined ? "Skip diff: the day of the previous report is not given." : `diff from ${since} to ${at ?? "the day when the data were read"} for the components that changed most, with where on the column of the stages.`}
6. Tickets, if there are any (PUNCH_LIST_ITEMS): aging with open${at === undefined ? "" : ` and at ${at}`}, and its oldest tickets (part features).
7. figure sCurve of the largest component, and figure progressBars if it has groups.
Order: summary in five sentences, table of components, comparison with the plan, finish dates, changes, tickets, unknown values.`,
  },
  {
    name: "inspection-report",
    title: "Inspection report",
    description: "Anomalies in thermal or visual captures of a site, and changes since the previous capture.",
    arguments: [
      site,
      { name: "since", description: `The earliest capture to compare. ${time}`, required: false },
      reportDay,
    ],
    steps: ({
      since,
      at,
    }) => `Write an inspection report of the site named below${at === undefined ? "" : `, as of ${at}`}.
1. layers of the site: the datasets of anomalies (semantic types that end with _ANOMALIES), in order of time. ${since === undefined ? "Use the last two." : `Use the first one from ${since} on, and all later ones.`}${at === undefined ? "" : ` Leave out captures after ${at}.`}
2. describe one of them: the columns of class, severity, affected modules and the same anomaly in an earlier capture, and the choices of the class (part options).
3. Ask the user for values that the data do not contain: the factor of each class, the rated power of a module, yield and tariff. Do not invent them: without them, power, energy and money are unknown; the counts of anomalies and modules are known.
4. inspection with these layers, by capture; surveyArea true, so that anomalies outside of a capture do not count as fixed; peakPower "site"; maxMeters in meters. Then again with by class (and severity), and with part changes.
5. inspection with part anomalies: the ten with the largest power loss, or the most severe if no power is known.
6. figure inspectionPareto by class, and figure captureChanges.
7. figure layerMap of the last capture, by class.
Order: summary in five sentences, comparison of captures, by class and severity, changes of anomalies (new, persistent, returned, fixed, not surveyed), the worst anomalies, assumptions (provenance.assumptions), unknown values.`,
  },
];

function ofTimes(times: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(times)
    .flatMap(([name, value]) => (value === undefined ? [] : [`, ${name} ${value}`]))
    .join("");
}

/** The available prompts. */
export const prompts: readonly Prompt[] = templates.map(({ steps: _, ...prompt }) => ({
  ...prompt,
  arguments: [...prompt.arguments],
}));

/**
 * Returns a prompt for a site.
 *
 * @throws ArgumentError for an unknown prompt, site or argument, and for an invalid time
 */
export async function getPrompt(
  context: ToolContext,
  name: string,
  given: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const template = templates.find((one) => one.name === name);
  if (!template) {
    const names = templates.map((one) => one.name);
    throw new ArgumentError(`Unknown prompt ${showValue(name)}.`, { hint: nameHint(name, names) });
  }
  const rules = Object.fromEntries(template.arguments.map((argument) => [argument.name, text]));
  checkOptions<object>(name, given, rules as OptionRules<object>);
  if (given["site"] === undefined)
    throw new ArgumentError(`${name}: the argument site is missing.`, { hint: "Give an id or a name." });
  for (const day of ["since", "at"]) if (given[day] !== undefined) resolveTimePoint(given[day], "UTC");
  const options = { redact: context.redact, showProgress: false } as const;
  const siteInfo = await context.source.site(siteOf(given["site"]), options);
  const layers = [...new Set((await siteInfo.layers(options)).array("semantic_type"))].filter((type) => type !== null);
  const about = markData(jsonText({ site: { id: siteInfo.id, name: siteInfo.name }, layers }));
  const words = [template.steps(given), honesty, markMeaning, "The site, and the semantic types of its layers:", about];
  return {
    ...(template.description !== undefined && { description: template.description }),
    messages: [{ role: "user", content: { type: "text", text: words.join("\n\n") } }],
    _meta: { ...dataMeta },
  };
}
