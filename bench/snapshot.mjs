/**
 * Snapshots against the service, on loopback: the first table shown, and a pull that finds 1 % of new changes against a full
 * one. The service runs in this process, each reader and each pull in a new one.
 */
import { assertEqual, inFolder, runProgram } from "./programs.mjs";
import { share } from "./share.mjs";
import { serve, servedCompany, servedLayer } from "./snapshot/served.mjs";

const FEATURES = Math.round(200_000 * share);
const PULLED = Math.round(50_000 * share);
const CHANGES_OF_FEATURE = 10;

export async function run() {
  return { ratios: { ...(await firstTable()), ...(await pulls()) } };
}

async function firstTable() {
  const folder = await servedLayer(FEATURES);
  const service = await serve(folder);
  const own = await runProgram("snapshot/first-table.mjs", [folder]);
  const live = await runProgram("snapshot/first-table.mjs", [service.url]);
  await service.close();
  assertEqual("snapshot: values", own.values, live.values);
  return {
    "snapshot: first table, service": live.cpuMs / own.cpuMs,
    "snapshot: all values, service": live.allCpuMs / own.allCpuMs,
  };
}

async function pulls() {
  const [made, edited] = await servedCompany(PULLED, CHANGES_OF_FEATURE);
  return await inFolder(async (copy) => {
    const full = await pullFrom(made, copy);
    const small = await pullFrom(edited, copy);
    assertEqual("snapshot: features pulled", small.rows.layerFeatures, PULLED);
    assertEqual("snapshot: changes pulled", small.rows.propertyChanges, edited.changes);
    return {
      "snapshot: CPU time of a small pull, full pull": full.cpuMs / small.cpuMs,
      "snapshot: log requests of a small pull, full pull": full.logRequests / small.logRequests,
    };
  });
}

async function pullFrom({ folder }, copy) {
  const service = await serve(folder);
  const figures = await runProgram("snapshot/pull.mjs", [copy, service.url]);
  await service.close();
  return figures;
}
