import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const given = process.env["SITEFRAME_MUTATION_TESTS"];
if (!given) throw new Error("SITEFRAME_MUTATION_TESTS is missing. Start mutation tests by `npm run mutate`.");
/** Test files of the folder that `scripts/mutate.mjs` mutates, in the order in which they run: the first failure ends a run. */
const files = given.split(",");

class GivenOrder extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) =>
      files.indexOf(relative(project.config.root, moduleId).replaceAll("\\", "/"));
    return specifications.toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: files,
    setupFiles: "test/support/fast-check-seed.ts",
    testTimeout: 600_000,
    hookTimeout: 600_000,
    isolate: false,
    sequence: { sequencer: GivenOrder },
    env: { SITEFRAME_TEST_NODE_ONLY: "1" },
  },
});
