import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";

/** TypeDoc, which we have, reads YAML with it. */
const yaml: { readonly parse: (text: string) => unknown } = createRequire(
  createRequire(import.meta.url).resolve("typedoc"),
)("yaml");

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, { readonly permissions: unknown; readonly steps: readonly Step[] }>>;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const home = manifest.repository.url.replace(/^git\+|\.git$/g, "");

describe("what the registry and GitHub are told", () => {
  it("names one repository", () => {
    expect(home).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w-]+$/);
    expect(manifest.bugs).toBe(`${home}/issues`);
    expect(manifest.homepage).toBe(`${home}#readme`);
    expect(readFileSync("SECURITY.md", "utf8")).toContain(`${home}/security/advisories/new`);
  });

  it("is cited as what it is", () => {
    expect(yaml.parse(readFileSync("CITATION.cff", "utf8"))).toMatchObject({
      "cff-version": "1.2.0",
      version: manifest.version,
      license: manifest.license,
      "repository-code": home,
    });
  });
});

describe("the release", () => {
  const { on, permissions, jobs } = yaml.parse(readFileSync(".github/workflows/release.yml", "utf8")) as Workflow;
  const steps = jobs["publish"]?.steps ?? [];
  const at = (command: string) => steps.findIndex(({ run }) => run?.includes(command));

  it("publishes with provenance what has passed all checks, and nothing after it", () => {
    expect(on).toEqual({ release: { types: ["published"] } });
    expect(existsSync(".ci/full")).toBe(true);
    expect(at("package.json")).toBeGreaterThan(-1);
    expect(at(".ci/full")).toBeGreaterThan(at("package.json"));
    expect(at("npm publish --provenance")).toBeGreaterThan(at(".ci/full"));
    expect(at("npm publish --provenance")).toBe(steps.length - 1);
  });

  it("may write nothing but the statement of provenance, and gives the token to npm alone", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs["publish"]?.permissions).toEqual({ contents: "read", "id-token": "write" });
    const secret = steps.filter((step) => JSON.stringify(step).includes("secrets."));
    expect(secret.map(({ run }) => run)).toEqual(["npm publish --provenance --access public"]);
  });
});
