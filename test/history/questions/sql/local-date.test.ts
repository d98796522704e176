import { join } from "node:path";
import { expect, it } from "vitest";
import { fromRecords, openSnapshot, pull } from "../../../../src/index.js";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";
import { change, dataset, feature } from "../../../support/records.js";

const folder = temporaryFolder();
const timeZone = "Europe/Berlin";
/** The last instants of days in winter and summer time, the first ones of the next days, and one before 1970. */
const times = [
  ["1969-12-31T22:59:59.999999Z", "1969-12-31"],
  ["2024-01-15T22:59:59.999999Z", "2024-01-15"],
  ["2024-01-15T23:00:00Z", "2024-01-16"],
  ["2024-03-31T22:00:00Z", "2024-04-01"],
  ["2024-07-15T21:59:59.999999Z", "2024-07-15"],
  ["2024-07-15T22:00:00Z", "2024-07-16"],
  ["2024-10-26T22:00:00Z", "2024-10-27"],
  ["2024-10-27T22:59:59Z", "2024-10-27"],
] as const;

const dates = times.map(([, date]) => date);

it("local dates are dates in the time zone of the history, in memory, in DuckDB and in files", async () => {
  const path = join(folder, "local.snapshot");
  const layerFeatures = [feature(1, { created_at: "1969-01-01T00:00:00Z" })];
  const propertyChanges = times.map(([created_at], n) => change(n + 1, { created_at, new_value: `S${n}` }));
  await pull(fromRecords({ sites: [], datasets: [dataset(1)], layerFeatures, propertyChanges }), path);
  const snapshot = await openSnapshot(path);
  const params = { semantic_type: "TRENCHES" };
  const history = await snapshot.history(params, { timeZone });
  const questions = await snapshot.lazyHistory(params, { timeZone });
  expect(history.changes().array("local_date")).toEqual(dates);
  // The first interval begins with the feature.
  expect(history.intervals("STATUS").array("local_date")).toEqual(["1969-01-01", ...dates]);
  const utc = await snapshot.history(params);
  expect(utc.changes().array("local_date")).toEqual(times.map(([time]) => time.slice(0, 10)));
  for (const [answer, expected] of [
    [questions.changes(), dates],
    [questions.intervals("STATUS"), ["1969-01-01", ...dates]],
  ] as const) {
    expect((await answer).array("local_date")).toEqual(expected);
    const file = join(folder, "stored.parquet");
    await answer.writeTo(file);
    const stored = await snapshot.sql(`SELECT local_date, typeof(local_date) AS type FROM '${file}'`);
    expect(stored.array("local_date")).toEqual(expected);
    expect(stored.get("type", 0)).toBe("DATE");
  }
  await questions.close();
  await snapshot.close();
});
