import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { deno } from "../../../support/runtimes.js";
import { type Exchange, KernelClient } from "../../support/kernel-client.js";
import type { BatteryCase, Ending } from "./battery-case.js";
import { declarations } from "./declarations.js";
import { denoDifferences } from "./deno-differences.js";
import { errors } from "./errors.js";
import { imports } from "./imports.js";
import { loops } from "./loops.js";
import { writeNotebookFiles } from "./notebook-files.js";
import { results } from "./results.js";

const cases = [...declarations, ...imports, ...loops, ...results, ...errors];
const reasons = new Map(
  Object.entries(denoDifferences).flatMap(([reason, all]) => all.map((cells) => [keyOf(cells), reason])),
);

function keyOf(cells: readonly string[]): string {
  return JSON.stringify(cells);
}

/** The result of a cell, which Deno can publish after its idle status. */
async function textOf(kernel: KernelClient, { broadcasts }: Exchange): Promise<Ending> {
  const [
    {
      message: { parent },
    } = { message: { parent: {} } },
  ] = broadcasts;
  const isResult = (each: Exchange["broadcasts"][number]) =>
    each.type === "execute_result" &&
    "msg_id" in each.message.parent &&
    "msg_id" in parent &&
    each.message.parent.msg_id === parent.msg_id;
  for (let turn = 0; turn < 10 && !kernel.broadcasts.some(isResult); turn += 1) {
    await pause(20);
    // A busy machine may delay it.
    await kernel.ask("kernel_info_request");
  }
  const text = kernel.broadcasts.find(isResult)?.content["data"]["text/plain"];
  return text === undefined ? undefined : stripVTControlCharacters(String(text));
}

/** How the last cell ends in a kernel of Deno, in a new folder. */
async function endingInDeno(program: string, cells: readonly string[]): Promise<Ending> {
  const cwd = await mkdtemp(join(tmpdir(), "siteframe-deno-"));
  await writeNotebookFiles(cwd);
  const command = (file: string) => [program, "jupyter", "--kernel", "--conn", file] as const;
  let kernel: KernelClient | undefined;
  try {
    kernel = await KernelClient.start({ cwd, command });
    let ending: Ending;
    for (const cell of cells) {
      const exchange = await kernel.execute(cell);
      ending =
        exchange.reply["status"] === "ok" ? await textOf(kernel, exchange) : { error: String(exchange.reply["ename"]) };
    }
    return ending;
  } catch (error) {
    return { error: String(error) };
  } finally {
    await kernel?.close();
    await rm(cwd, { recursive: true, force: true });
  }
}

/** Deno shows strings in double quotes. */
function isSame([, ours]: BatteryCase, theirs: Ending): boolean {
  if (typeof ours === "object" || typeof theirs === "object") return typeof ours === typeof theirs;
  return ours?.replaceAll('"', "'") === theirs?.replaceAll('"', "'");
}

if (deno === undefined) {
  process.stderr.write("Deno is not here: the battery of cells is not compared with it.\n");
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error("CI compares with Deno: install it in .cache/deno.");
}

describe("the battery of cells, by Deno", () => {
  test("differences are of cells of the battery", () => {
    const known = new Set(cases.map(([cells]) => keyOf(cells)));
    expect([...reasons.keys()].filter((key) => !known.has(key))).toEqual([]);
  });

  test.runIf(deno)(
    "ends as with Siteframe, except for the listed differences",
    async () => {
      const found: { readonly cells: string; readonly ours: Ending; readonly theirs: Ending }[] = [];
      const queue = cases.values();
      const work = async () => {
        for (const each of queue) {
          const cells = keyOf(each[0]);
          let theirs: Ending;
          // Results can come late, and are lost if Deno dies.
          for (let attempt = 0; attempt < 3; attempt++) {
            theirs = await endingInDeno(deno ?? "", each[0]);
            if (isSame(each, theirs) !== reasons.has(cells)) break;
          }
          if (!isSame(each, theirs)) found.push({ cells, ours: each[1], theirs });
        }
      };
      await Promise.all([work(), work()]);
      const unknown = found.filter(({ cells }) => !reasons.has(cells));
      const gone = [...reasons.keys()].filter((key) => !found.some(({ cells }) => cells === key));
      expect({ unknown, gone }).toEqual({ unknown: [], gone: [] });
    },
    600_000,
  );
});
