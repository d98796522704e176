import { describe, expect, test } from "vitest";
import { siteframeProgram } from "../../src/cli/program.js";

async function commandsFor(...words: string[]): Promise<readonly string[]> {
  return (await siteframeProgram(words)).commands.map((command) => command.name());
}

describe("the program", () => {
  test("has the command that is asked for alone, since each takes time to load", async () => {
    expect(await commandsFor("verify", "acme.snapshot")).toEqual(["verify"]);
    expect(await commandsFor("--debug", "run", "serve")).toEqual(["run"]);
  });

  test.each([[], ["--help"], ["help", "run"], ["vrify"], ["constructor"]])(
    "has all of them for %j",
    async (...words) => {
      const commands = await commandsFor(...words);
      expect(commands.slice(0, 4)).toEqual(["serve", "run", "convert", "report"]);
      expect(commands).toHaveLength(19);
    },
  );
});
