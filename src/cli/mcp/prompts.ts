import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { checkOptions, type OptionRules, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { resolveTimePoint } from "../../history/time/valid-time.js";
import { jsonText } from "../../tables/export/export-values.js";
import { dataMeta, markData, markMeaning } from "./data-mark.js";
import { siteOf } from "./resources.js";
import type { Asked } from "./tools.js";

const time = "A calendar date (2025-06-30: that whole day), or an instant with its zone.";

const site = { name: "site", description: "Id or name of the site.", required: true } as const;

interface Template extends Omit<Prompt, "arguments"> {
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** What to do, step by step. Names from the data stand behind it, marked. */
  steps(given: Readonly<Record<string, string>>): string;
}

/** What every report has to say. */
const honesty = `Rules of the report:
- Give each figure with the day that it is of, and say once how old the data are (provenance.readAt).
- Say what the findings of each answer say, in words, beside the figures that they are about.
- null is not 0: write "not known", and why if a finding says so. Count what has the state or value unknown apart.
- Name no cause that the data do not name. Compute nothing that a tool tells.
- Where an answer has nextOffset it is cut: ask for the rest, or say that only a part is shown.
- If a tool says that something is wrong, mend the call by what it says was probably meant; else report what could not be told.`;

const reportDay = {
  name: "at",
  description: `The day of the report. ${time} Default: when the data were read.`,
  required: false,
};

const templates: readonly Template[] = [
  {
    name: "progress-report",
    title: "Progress report",
    description: "How far the work of a site is, against its plan, and what changed since the report before.",
    arguments: [
      site,
      { name: "since", description: `The day of the report before. ${time}`, required: false },
      reportDay,
    ],
    steps: ({
      since,
      at,
    }) => `Write a progress report of the site named below${at === undefined ? "" : `, as of ${at}`}.
1. layers of the site: which of them hold components (not tickets, anomalies, deviations or annotations).
2. describe each of them: the column of the stages (mostly STATUS) and its choices (part options), columns of planned dates, and columns of quantities.
3. siteProgress with column, done (the last stage of each component) or credits, plan where there is a column of planned dates${ofTimes({ at, since })}; then again with part totals and part stages. A component whose stages are named otherwise needs its own column or done.
4. For each component that is not finished: forecast with the same done${at === undefined ? "" : ` and until ${at}`}; say P50 and P80, and how many forecasts of the past were kept (coverage). No row means that the log is too short.
5. ${since === undefined ? "diff is left out: no day of a report before was given." : `diff from ${since} to ${at ?? "the day when the data were read"} for the components that changed most, with where on the column of the stages.`}
6. Tickets, if there are any (PUNCH_LIST_ITEMS): ageing with open${at === undefined ? "" : ` and at ${at}`}, and its oldest items (part items).
7. figure sCurve of the largest component, and figure progressBars where it has groups.
Order: summary in five sentences, table of components, against plan, when all is done, what changed, tickets, what is not known.`,
  },
  {
    name: "inspection-report",
    title: "Inspection report",
    description: "What thermal or visual captures of a site found, and what became of it since the capture before.",
    arguments: [
      site,
      { name: "since", description: `The earliest capture that is compared. ${time}`, required: false },
      reportDay,
    ],
    steps: ({
      since,
      at,
    }) => `Write an inspection report of the site named below${at === undefined ? "" : `, as of ${at}`}.
1. layers of the site: the datasets of anomalies (semantic types that end with _ANOMALIES), in the order of time. ${since === undefined ? "Take the last two." : `Take the first one from ${since} on, and all later ones.`}${at === undefined ? "" : ` Leave out captures after ${at}.`}
2. describe one of them: the columns of class, severity, affected modules and of what an anomaly was before, and the choices of the class (part options).
3. Ask whoever wants the report for what the data do not say: the factor of each class, the rated power of a module, yield and tariff. Never make them up: without them power, energy and money are not known, and numbers of anomalies and modules are.
4. inspection with these layers, by capture; coverage true, so that what was not flown over is not taken for fixed; peakPower "site"; maxDistance in metres. Then again with by class (and severity), and with part changes.
5. inspection with part anomalies: the ten that take most power, or the most severe where no power is known.
6. figure inspectionPareto by class, and figure captureChanges.
7. figure layerMap of the last capture, by class.
Order: summary in five sentences, captures side by side, by class and severity, what became of anomalies (new, persistent, returned, fixed, not surveyed), the worst ones, what was assumed (provenance.assumptions), what is not known.`,
  },
];

function ofTimes(times: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(times)
    .flatMap(([name, value]) => (value === undefined ? [] : [`, ${name} ${value}`]))
    .join("");
}

/** The prompts that there are. */
export const prompts: readonly Prompt[] = templates.map(({ steps: _, ...prompt }) => ({
  ...prompt,
  arguments: [...prompt.arguments],
}));

/**
 * A prompt for a site.
 *
 * @throws ArgumentError for a prompt, a site or an argument that is not there, and what is no time
 */
export async function getPrompt(
  asked: Asked,
  name: string,
  given: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const template = templates.find((one) => one.name === name);
  if (!template) {
    const names = templates.map((one) => one.name);
    throw new ArgumentError(`There is no prompt ${showValue(name)}.`, { hint: nameHint(name, names) });
  }
  const rules = Object.fromEntries(template.arguments.map((argument) => [argument.name, text]));
  checkOptions<object>(name, given, rules as OptionRules<object>);
  if (given["site"] === undefined) throw new ArgumentError(`${name} needs site: an id or a name.`);
  for (const day of ["since", "at"]) if (given[day] !== undefined) resolveTimePoint(given[day], "UTC");
  const options = { redact: asked.redact, progress: false } as const;
  const found = await asked.source.site(siteOf(given["site"]), options);
  const layers = [...new Set((await found.layers(options)).array("semantic_type"))].filter((type) => type !== null);
  const about = markData(jsonText({ site: { id: found.id, name: found.name }, layers }));
  const words = [template.steps(given), honesty, markMeaning, "The site, and the semantic types of its layers:", about];
  return {
    ...(template.description !== undefined && { description: template.description }),
    messages: [{ role: "user", content: { type: "text", text: words.join("\n\n") } }],
    _meta: { ...dataMeta },
  };
}
