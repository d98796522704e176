import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { examples, siteframeProgram } from "../../src/cli/program.js";

async function commandsFor(...words: string[]): Promise<readonly string[]> {
  return (await siteframeProgram(words)).commands.map((command) => command.name());
}

function titles(command: Command, parent = ""): readonly string[] {
  const title = `${parent}${command.name()}`;
  return command.commands.length === 0 ? [title] : command.commands.flatMap((part) => titles(part, `${title} `));
}

describe("the program", () => {
  test("loads only the given command", async () => {
    expect(await commandsFor("verify", "acme.snapshot")).toEqual(["verify"]);
    expect(await commandsFor("--debug", "run", "serve")).toEqual(["run"]);
  });

  test.each([[], ["--help"], ["help", "run"], ["vrify"], ["constructor"]])(
    "loads all commands for %j",
    async (...words) => {
      const commands = await commandsFor(...words);
      expect(commands.slice(0, 4)).toEqual(["pull", "import", "export", "snapshot"]);
      expect(commands).toHaveLength(19);
    },
  );

  test("has examples for every command, in four groups with short descriptions", async () => {
    const { commands } = await siteframeProgram();
    expect(new Set(commands.map((command) => command.helpGroup())).size).toBe(4);
    expect(Object.keys(examples).sort()).toEqual(commands.flatMap((command) => titles(command)).sort());
    for (const [title, lines] of Object.entries(examples))
      for (const line of lines) expect(line).toMatch(new RegExp(`^siteframe ${title}\\b`));
    for (const command of commands) {
      expect((command.summary() || command.description()).split(" ").length).toBeLessThanOrEqual(10);
    }
  });
});
