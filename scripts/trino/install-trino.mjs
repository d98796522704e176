import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchArtifact } from "./fetch-artifact.mjs";
import { unzip } from "./unzip.mjs";

/** The newest version that is on Maven Central. */
export const TRINO = "476";

const group = "io.trino";
const artifacts = {
  server: {
    group,
    name: "trino-server-core",
    version: TRINO,
    type: "tar.gz",
    sha256: "0f388f9967c177ae70a47c099082fc95387f0c3cb96d8000d1d41fc3a5223158",
  },
  hive: {
    group,
    name: "trino-hive",
    version: TRINO,
    type: "zip",
    sha256: "611bacdb07d9f3cf7b9d47f97ecc76fa2e7ff8bfe8a9728c3d06adc1bfb8662e",
  },
};

export function isInstalled(cache) {
  return existsSync(homeIn(cache));
}

function homeIn(cache) {
  return join(cache, `trino-${TRINO}`);
}

/**
 * Puts Trino with its hive connector, and nothing else, into a folder, unless it is there.
 *
 * @param {string} cache folder that is kept between runs
 * @param {(text: string) => void} say
 * @returns the folder with `lib` and `plugin/hive`
 */
export async function installTrino(cache, say) {
  const home = homeIn(cache);
  if (existsSync(home)) return home;
  mkdirSync(cache, { recursive: true });
  say(`fetching Trino ${TRINO} from Maven Central, 452 MB, into ${cache}`);
  const server = await fetchArtifact(artifacts.server, cache);
  const hive = await fetchArtifact(artifacts.hive, cache);
  const part = join(cache, `unpacking-${process.pid}`);
  try {
    mkdirSync(part);
    // Whole, since files of the archive are links to others of it.
    execFileSync("tar", ["-xzf", server, "-C", part]);
    const unpacked = join(part, `trino-server-core-${TRINO}`);
    rmSync(join(unpacked, "plugin"), { recursive: true });
    mkdirSync(join(unpacked, "plugin"));
    unzip(hive, part);
    renameSync(join(part, `trino-hive-${TRINO}`), join(unpacked, "plugin", "hive"));
    renameSync(unpacked, home);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  rmSync(server);
  rmSync(hive);
  return home;
}
