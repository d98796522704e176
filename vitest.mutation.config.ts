import { defineConfig } from "vitest/config";

/** Test files of the folder that `scripts/mutate.mjs` mutates. */
const files = process.env["SITEFRAME_MUTATION_TESTS"];
if (!files) throw new Error("SITEFRAME_MUTATION_TESTS is missing. Start mutation tests by `npm run mutate`.");

export default defineConfig({
  test: {
    include: files.split(","),
    setupFiles: "test/support/fast-check-seed.ts",
    testTimeout: 600_000,
    hookTimeout: 600_000,
    isolate: false,
    env: { SITEFRAME_TEST_NODE_ONLY: "1" },
  },
});
