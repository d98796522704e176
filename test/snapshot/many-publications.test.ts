import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { findPython } from "../support/python.js";
import { randomRuns } from "../support/random-runs.js";
import { guidePython, guideStatements } from "./guide-listing.js";
import { expectOneGeneration, FIRST_FEATURES, publish, readOwn } from "./published-company.js";
import { temporaryFolder } from "./temporary-folder.js";

const python = findPython("duckdb,geopandas,pandas,polars,pyarrow");
const folder = temporaryFolder();
const READS = randomRuns(20_000, 200);
const PUBLICATIONS = randomRuns(50, 5);

it.skipIf(!python)(
  `every one of ${READS} reads sees one generation, during ${PUBLICATIONS} publications`,
  {
    timeout: 7_200_000,
  },
  async () => {
    const path = join(folder, "acme.snapshot");
    await publish(path, 1);
    const script = join(import.meta.dirname, "python", "read_generations.py");
    const reader = spawn(
      python?.program as string,
      [script, String(FIRST_FEATURES), guidePython(), guideStatements("acme.snapshot")],
      {
        cwd: folder,
        env: python?.env,
      },
    );
    let errors = "";
    reader.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    const lines = createInterface(reader.stdout)[Symbol.asyncIterator]();
    const nextLine = async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The reader has ended: ${errors}`);
      return value;
    };
    let [hasEnded, ownReads] = [false, 0];
    const reading = (async () => {
      while (!hasEnded) {
        expectOneGeneration(await readOwn(path));
        ownReads += 1;
      }
    })();
    try {
      let reads = 0;
      for (let publication = 1; publication <= PUBLICATIONS; publication += 1) {
        const due = (READS / PUBLICATIONS) * publication;
        // The reader goes on while the next generation is published.
        while (reads < due) reads = Number(await nextLine());
        await publish(path, publication + 1);
      }
      reader.stdin.end();
      let last = "";
      while (last !== "all well") last = await nextLine();
    } finally {
      hasEnded = true;
      reader.kill();
      await reading;
    }
    expect(ownReads).toBeGreaterThan(PUBLICATIONS);
  },
);
