import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { declareTypes } from "../../source/declare-types.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { baseUrlOption, type GivenSite, idsOf, openSource, siteOption } from "../input/source-option.js";
import { printResult } from "../output/terminal.js";

interface TypesOptions {
  readonly snapshot?: string;
  readonly baseUrl?: string;
  readonly site?: readonly GivenSite[];
  readonly semanticType?: readonly string[];
  readonly optionLabels?: boolean;
  readonly out?: string;
}

/** Adds `siteframe types`, which writes the types of layer rows. */
export function addTypesCommand(program: Command): void {
  program
    .command("types")
    .summary("Write TypeScript interfaces for layer rows.")
    .description(
      "Write TypeScript interfaces for layer rows, one per semantic type. Options are unions, dates strings, relationships ids. Use them as source.layer<Trenches>(…).",
    )
    .option("--snapshot <folder>", "snapshot folder or address. Default: the live service")
    .addOption(baseUrlOption())
    .addOption(siteOption("sites to read. Default: all"))
    .option("--semantic-type <type...>", "semantic types to declare. Default: all with features")
    .option("--option-labels", "use labels instead of codes, for layers read with optionLabels")
    .option("--out <file>", "output file, for example site.d.ts. Default: standard output")
    .action(run);
}

async function run({ snapshot, baseUrl, site, semanticType, optionLabels, out }: TypesOptions): Promise<void> {
  const source = await openSource({ snapshot, baseUrl });
  try {
    const { text, names } = await declareTypes(source, {
      ...(site && { siteIds: await idsOf(source, site) }),
      ...(semanticType && { semanticTypes: semanticType }),
      optionLabels: optionLabels ?? false,
    });
    if (names.size === 0) {
      const all = snapshot === undefined ? "Check that the API key can read your sites." : "Pull sites with features.";
      throw new ArgumentError(`siteframe types: ${site ? "the selected sites have" : "the source has"} no features.`, {
        hint: site ? "Select other sites with --site, or omit it to read all sites." : all,
      });
    }
    if (out === undefined) printResult(text.trimEnd());
    else await replaceFile(out, (path) => writeFile(path, text));
  } finally {
    await source.close();
  }
}
