import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** TypeDoc, which we have, reads YAML with it. */
const yaml: { readonly parse: (text: string) => unknown } = createRequire(
  createRequire(import.meta.url).resolve("typedoc"),
)("yaml");

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string;
  readonly permissions?: unknown;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const home = manifest.repository.url.replace(/^git\+|\.git$/g, "");

describe("metadata", () => {
  it("contains one repository", () => {
    expect(home).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/);
    expect(manifest.bugs).toBe(`${home}/issues`);
    expect(manifest.homepage).toBe(`${home}#readme`);
    expect(readFileSync("SECURITY.md", "utf8")).toContain(`${home}/security/advisories/new`);
  });

  it("is the same in the citation file", () => {
    expect(yaml.parse(readFileSync("CITATION.cff", "utf8"))).toMatchObject({
      "cff-version": "1.2.0",
      version: manifest.version,
      license: manifest.license,
      "repository-code": home,
    });
  });
});

describe("the release", () => {
  const text = readFileSync(".github/workflows/release.yml", "utf8");
  const { on, permissions, jobs } = yaml.parse(text) as Workflow;
  const commands = (name: string) => jobs[name]?.steps.flatMap(({ run = [] }) => run) ?? [];

  it("publishes with provenance after all checks", () => {
    expect(on).toEqual({ release: { types: ["published"] } });
    expect(existsSync(".ci/full")).toBe(true);
    expect(commands("check")).toEqual([expect.stringContaining("package.json"), ".ci/full"]);
    expect(jobs["publish"]?.needs).toBe("check");
    expect(commands("publish").at(-1)).toBe("npm publish --provenance --access public");
  });

  it("has no token, and only the job that publishes can identify itself", () => {
    expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|registry-url/);
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs["check"]?.permissions).toBeUndefined();
    expect(jobs["publish"]?.permissions).toEqual({ contents: "read", "id-token": "write" });
  });

  it("publishes with a version of npm that supports trusted publishing", () => {
    const [, ...version] = /npm@(\d+)\.(\d+)\.(\d+)/.exec(commands("publish").join("\n")) ?? [];
    const [major = 0, minor = 0, patch = 0] = version.map(Number);
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(11_005_001);
  });

  it("runs no script of a dependency in the job that publishes", () => {
    expect(commands("publish")).toContain("npm ci --ignore-scripts");
  });
});

describe("workflows", () => {
  const folder = ".github/workflows";

  it.each(readdirSync(folder))("%s pins each action to a commit, with the version as a comment", (name) => {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    const actions = lines.filter((line) => /^\s*(?:- )?uses:/.test(line));
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });
});
