import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { packageFolder } from "../../core/package-folder.js";
import { showValue } from "../../core/show-value.js";
import { jsonText } from "../../tables/export/export-values.js";
import { dataMeta, markData, markMeaning } from "./data-mark.js";
import { rowsText, toolAnswer } from "./tool-answer.js";
import { dictionaryOf, type ToolContext } from "./tools.js";

const glossaryUri = "siteframe://glossary";
const dictionaryTemplate = "siteframe://sites/{site}/layers/{layer}";
const dictionaryUri = /^siteframe:\/\/sites\/([^/]+)\/layers\/([^/]+)$/;

/** The available resources. */
export const resources: readonly Resource[] = [
  {
    uri: glossaryUri,
    name: "glossary",
    title: "Glossary",
    description: "Terms used in tools, columns and diagnostics.",
    mimeType: "text/markdown",
  },
];

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: dictionaryTemplate,
    name: "dictionary",
    title: "Dictionary of a layer",
    description: `The columns of a layer of a site: meaning, type, unit, choices, nulls, most frequent values. ${markMeaning}`,
    mimeType: "text/plain",
    _meta: { ...dataMeta },
  },
];

/**
 * Reads a resource.
 *
 * @throws ArgumentError for an unknown URI, site or layer
 */
export async function readResource(context: ToolContext, uri: string): Promise<ReadResourceResult> {
  if (uri === glossaryUri) {
    const text = await readFile(join(packageFolder, "docs", "glossary.md"), "utf8");
    return { contents: [{ uri, mimeType: "text/markdown", text }] };
  }
  const [, site, layer] = dictionaryUri.exec(uri) ?? [];
  if (site === undefined || layer === undefined) {
    throw new ArgumentError(`Unknown resource ${showValue(uri)}.`, {
      hint: nameHint(uri, [glossaryUri, dictionaryTemplate]),
    });
  }
  const { layer: layerData } = await context.layers.layer(siteOf(decoded(site)), decoded(layer));
  const dictionary = dictionaryOf(layerData);
  const most = { limit: context.maxRows };
  const columns = toolAnswer(dictionary, most, context);
  const options = toolAnswer(dictionary, { ...most, part: "options" }, context);
  const text = `${markMeaning}\nColumns: ${rowsText(columns)} Options: ${rowsText(options)}\n${markData(
    jsonText({ ...columns, options: { columns: options.columns, rows: options.rows } }),
  )}`;
  return { contents: [{ uri, mimeType: "text/plain", text, _meta: { ...dataMeta } }] };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new ArgumentError(`${showValue(part)} is not a valid URI part.`, {
      cause,
      hint: "Percent-encode all characters except letters and digits.",
    });
  }
}

/** A site from its id or name as a string. */
export function siteOf(text: string): string | number {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Names of sites, or of the layers of a site, that begin with the given string. */
export async function completeNames(
  { source, redact }: ToolContext,
  argument: { readonly name: string; readonly value: string },
  paths: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const options = { redact, showProgress: false } as const;
  const { site } = paths;
  const names: unknown[] = [];
  if (argument.name === "site") names.push(...(await source.sites({}, options)).array("name"));
  if (argument.name === "layer" && site !== undefined) {
    const layers = await (await source.site(siteOf(site), options)).layers(options);
    names.push(...layers.array("semantic_type"), ...layers.array("name"));
  }
  const begun = argument.value.toLowerCase();
  const texts = names.filter((name): name is string => typeof name === "string");
  return [...new Set(texts)].filter((name) => name.toLowerCase().startsWith(begun));
}
