import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const central = process.env["SITEFRAME_MAVEN_REPOSITORY"] ?? "https://repo1.maven.org/maven2";
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";

/**
 * Fetches a file from Maven Central: by Maven where it is there, since it knows the mirrors and proxies of this machine,
 * else by HTTPS, from the repository of SITEFRAME_MAVEN_REPOSITORY if that is set.
 *
 * @param {{ group: string, name: string, version: string, type: string, sha256: string }} artifact
 * @param {string} folder where the file goes, whole or not at all
 * @returns the path of the file
 */
export async function fetchArtifact(artifact, folder) {
  const { group, name, version, type, sha256 } = artifact;
  const file = join(folder, `${name}-${version}.${type}`);
  if (existsSync(file)) return file;
  const part = join(folder, `part-${process.pid}`);
  mkdirSync(part, { recursive: true });
  try {
    const arrived = join(part, `${name}-${version}.${type}`);
    if (process.env["SITEFRAME_MAVEN_REPOSITORY"] === undefined && hasMaven())
      await byMaven(`${group}:${name}:${version}:${type}`, part);
    else
      await byHttps(`${central}/${group.replaceAll(".", "/")}/${name}/${version}/${name}-${version}.${type}`, arrived);
    const found = await sha256Of(arrived);
    if (found !== sha256) throw new Error(`${name}-${version}.${type} has SHA-256 ${found}, but should have ${sha256}`);
    renameSync(arrived, file);
    return file;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

function hasMaven() {
  try {
    execFileSync("mvn", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Into a separate local repository: unpacked files need not be stored twice. */
async function byMaven(coordinates, folder) {
  const own = `-Dmaven.repo.local=${join(folder, "repository")}`;
  const options = [`-Dartifact=${coordinates}`, `-DoutputDirectory=${folder}`, "-Dtransitive=false"];
  await promisify(execFile)("mvn", ["-B", "-q", own, COPY, ...options], { maxBuffer: 1 << 26 });
}

async function byHttps(url, file) {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`${url} was answered ${response.status}`);
  mkdirSync(dirname(file), { recursive: true });
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}

async function sha256Of(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
