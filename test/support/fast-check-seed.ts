import fc from "fast-check";

/** The seed of all random tests: `SITEFRAME_TEST_SEED`, which `.ci/full` draws and prints, or the same on each run. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["SITEFRAME_TEST_SEED"] ?? 1) });
