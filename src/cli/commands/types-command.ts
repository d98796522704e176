import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { openSnapshot } from "../../snapshot/open-snapshot.js";
import { connect } from "../../source/connect.js";
import { declareTypes } from "../../source/declare-types.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { integerOption } from "../input/parameters.js";
import { printResult } from "../output/terminal.js";

interface TypesOptions {
  readonly snapshot?: string;
  readonly baseUrl?: string;
  readonly siteId?: readonly number[];
  readonly semanticType?: readonly string[];
  readonly optionLabels?: boolean;
  readonly out?: string;
}

const siteId = integerOption(0, Number.MAX_SAFE_INTEGER);

/** `siteframe types`: the types of layers' rows. */
export function addTypesCommand(program: Command): void {
  program
    .command("types")
    .description(
      "Write TypeScript for the rows of layers, an interface for each semantic type: options are unions, dates texts, relationships ids. Use them as source.layer<Trenches>(…).",
    )
    .option("--snapshot <folder>", "snapshot folder to read; the live service if absent")
    .option("--base-url <url>", "address of the service (default: SITEFRAME_BASE_URL; the key is SITEFRAME_API_KEY)")
    .option("--site-id <id...>", "sites to read; all if absent", (text: string, before: readonly number[] = []) => [
      ...before,
      siteId(text),
    ])
    .option("--semantic-type <type...>", "semantic types to declare; all that have features if absent")
    .option("--option-labels", "for layers that are read with optionLabels: labels instead of codes")
    .option("--out <file>", "file to write, for example site.d.ts; standard output if absent")
    .action(run);
}

async function run({
  snapshot,
  baseUrl,
  siteId: siteIds,
  semanticType,
  optionLabels,
  out,
}: TypesOptions): Promise<void> {
  const source =
    snapshot === undefined ? connect({ ...(baseUrl !== undefined && { baseUrl }) }) : await openSnapshot(snapshot);
  try {
    const { text, names } = await declareTypes(source, {
      ...(siteIds && { siteIds }),
      ...(semanticType && { semanticTypes: semanticType }),
      optionLabels: optionLabels ?? false,
    });
    if (names.size === 0) {
      throw new ArgumentError("There are no features to declare types of.", {
        hint: "See with siteframe sql, or source.datasets(), which semantic types there are.",
      });
    }
    if (out === undefined) printResult(text.trimEnd());
    else await replaceFile(out, (path) => writeFile(path, text));
  } finally {
    await source.close();
  }
}
