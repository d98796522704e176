import { expect, it } from "vitest";
import { aq } from "../src/arquero.js";
import { fromRecords } from "../src/source/from-records.js";

it("is the Arquero that makes Siteframe's tables", async () => {
  expect(await fromRecords({}).sites()).toBeInstanceOf(aq.ColumnTable);
});
