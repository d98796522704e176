import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Shares of a heap, of which Trino wants to know how much queries may have. */
const OF_QUERIES = 0.5;
const HEADROOM = 0.25;

/**
 * Writes the configuration of one node.
 *
 * @param {{ name: string, folder: string, isCoordinator: boolean, coordinator: string, heapMb: number, memoryMb: number,
 *   files: string, metastore: string, staging: string }} node `coordinator` is an address, `memoryMb` what a query may have on all nodes
 */
export function writeNode({ name, folder, isCoordinator, coordinator, heapMb, memoryMb, files, metastore, staging }) {
  const catalogs = join(folder, "etc", "catalog");
  mkdirSync(catalogs, { recursive: true });
  writeProperties(join(folder, "etc", "config.properties"), {
    coordinator: isCoordinator,
    ...(isCoordinator ? { "node-scheduler.include-coordinator": false } : {}),
    // A worker announces the port that it got.
    "http-server.http.port": isCoordinator ? new URL(coordinator).port : 0,
    "http-server.log.enabled": false,
    "discovery.uri": coordinator,
    "catalog.management": "static",
    "query.max-memory": `${memoryMb}MB`,
    "query.max-memory-per-node": `${Math.floor(heapMb * OF_QUERIES)}MB`,
    "memory.heap-headroom-per-node": `${Math.floor(heapMb * HEADROOM)}MB`,
  });
  writeProperties(join(catalogs, "hive.properties"), {
    "connector.name": "hive",
    "hive.metastore": "file",
    "hive.metastore.catalog.dir": `local:///${relative(files, metastore)}`,
    "fs.native-local.enabled": true,
    "local.location": files,
    "hive.temporary-staging-directory-path": `/${relative(files, staging)}`,
  });
  writeProperties(join(folder, "etc", "log.properties"), { "io.trino": "INFO" });
  return [
    `-Xmx${heapMb}m`,
    "-XX:ActiveProcessorCount=1",
    "-XX:ReservedCodeCacheSize=160m",
    "-XX:+ExitOnOutOfMemoryError",
    "-Djdk.attach.allowAttachSelf=true",
    "-Dfile.encoding=UTF-8",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    `-Djava.io.tmpdir=${folder}`,
    "-Dnode.environment=siteframe",
    `-Dnode.id=${name}`,
    `-Dnode.data-dir=${folder}`,
    "-Dnode.internal-address=127.0.0.1",
    "-Dnode.bind-ip=127.0.0.1",
    `-Dconfig=${join(folder, "etc", "config.properties")}`,
    `-Dlog.levels-file=${join(folder, "etc", "log.properties")}`,
    `-Dcatalog.config-dir=${catalogs}`,
  ];
}

function writeProperties(file, properties) {
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(""));
}
