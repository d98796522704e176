import { sampleCompany } from "../../../sample/sample-company.js";
import { fromRecords, type Source } from "../../../src/index.js";

/** The sample company in memory. */
export function sampleRecords(features = 1000): Source {
  const company = sampleCompany({ features });
  return fromRecords(
    { ...company, layerFeatures: [...company.layerFeatures()], propertyChanges: [...company.propertyChanges()] },
    { readAt: new Date("2026-06-30T12:00:00Z") },
  );
}
