import { readFileSync } from "node:fs";
import type { Command } from "commander";
import ts from "typescript";
import { expect, test } from "vitest";
import { inspectionParameters, ofHistory, questionParameters } from "../../src/cli/mcp/tools.js";
import { siteframeProgram } from "../../src/cli/program.js";
import { diagnosticSeverities } from "../../src/core/diagnostic.js";
import { specifications } from "../../src/history/questions/define/question-methods.js";

/** Words of public names, one a line. */
const list = "test/docs/public-words.txt";

test("public names use known words only", async () => {
  const names = [
    ...["index", "plot/index", "notebook/widget/index"].flatMap((entry) => typeNames(`src/${entry}.ts`)),
    ...flagsOf(await siteframeProgram()),
    ...toolArguments(),
    ...Object.keys(diagnosticSeverities),
  ];
  const found = [...new Set(names.flatMap(wordsOf))].sort();
  const known = readFileSync(list, "utf8").trim().split("\n");
  const added = found.filter((word) => !known.includes(word));
  const gone = known.filter((word) => !found.includes(word));
  const hint = `Use a word of ${list}. If a name needs a new word, add it there, in alphabetical order; remove unused words.`;
  expect({ added, gone }, hint).toEqual({ added: [], gone: [] });
  expect(known, hint).toEqual([...new Set(known)].sort());
});

/** Exports of an entry point, and the members of their types, as far as they are declared in src. */
function typeNames(entry: string): readonly string[] {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
  const program = ts.createProgram([entry], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} has no exports`);
  const isOurs = (symbol: ts.Symbol) =>
    symbol.declarations?.some((each) => /\/src\/(?!browser\/)/.test(each.getSourceFile().fileName)) ?? false;
  const isShown = (symbol: ts.Symbol) =>
    symbol.getJsDocTags(checker).every(({ name }) => !["internal", "hidden"].includes(name));
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const type = symbol.flags & ts.SymbolFlags.Type ? checker.getDeclaredTypeOfSymbol(symbol) : undefined;
    const parts = type?.isUnion() ? type.types : type ? [type] : [];
    const members = parts.flatMap((part) =>
      part.flags & ts.TypeFlags.Object ? checker.getPropertiesOfType(part) : [],
    );
    const shown = members.filter((member) => isOurs(member) && isShown(member)).map(({ name }) => name);
    return [exported.name, ...shown.filter((name) => /^\w+$/.test(name))];
  });
}

function flagsOf(command: Command): readonly string[] {
  return [
    command.name(),
    ...command.options.map(({ long }) => long ?? ""),
    ...command.commands.flatMap((each) => flagsOf(each)),
  ];
}

function toolArguments(): readonly string[] {
  const questions = [...specifications.values()].filter(({ takes }) => !takes.includes("table"));
  return [ofHistory, inspectionParameters, ...questions.map(questionParameters)].flatMap((all) => Object.keys(all));
}

/** `maxBodyBytes` has three words, and so has `site-not-found`. */
function wordsOf(name: string): readonly string[] {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  return words.toLowerCase().match(/[a-z]+/g) ?? [];
}
