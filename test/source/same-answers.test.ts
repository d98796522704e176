import { describe, expect, it } from "vitest";
import type { Records, ResourceName } from "../../src/api/resources.js";
import { connect } from "../../src/source/connect.js";
import { fromRecords } from "../../src/source/from-records.js";
import type { Source } from "../../src/source/source.js";
import { tableToDanfo } from "../../src/tables/export/table-exports.js";
import { historyCalls, sameAnswers, sampleHistory } from "../snapshot/same-answers.js";
import { startSampleService } from "../support/sample-service.js";

/** All records of a live source, as a source in memory. */
async function inMemory(live: Source): Promise<Source> {
  const all = async <R extends ResourceName>(resource: R, params: object = {}): Promise<Records[R][]> => {
    const rows: Records[R][] = [];
    for await (const row of live.records(resource, params as never)) rows.push(row);
    return rows;
  };
  const [operations, layerFeatures] = [
    await all("operations"),
    await all("layerFeatures", { site_id: [101, 102, 103, null] }),
  ];
  return fromRecords({
    operations,
    layerFeatures,
    sites: await all("sites"),
    datasets: await all("datasets"),
    blocks: await all("blocks", { operation_id: operations.map(({ id }) => id) }),
    propertyDefinitions: await all("propertyDefinitions"),
    propertyChanges: await all("propertyChanges", { layer_feature_id: layerFeatures.map(({ id }) => id) }),
  });
}

describe("records in memory return the same as the live API", () => {
  sameAnswers(inMemory);
});

describe("tables of a history in Danfo", () => {
  it("have the rows and columns of the tables", async () => {
    const service = await startSampleService();
    const source = connect({ baseUrl: service.url, apiKey: service.apiKey });
    const history = await sampleHistory(source);
    for (const [call, ask] of historyCalls) {
      const table = ask(history);
      expect((await tableToDanfo(table)).shape, call).toEqual([table.numRows(), table.numCols()]);
    }
    await source.close();
    await service.close();
  });
});
