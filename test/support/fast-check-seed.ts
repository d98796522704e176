import fc from "fast-check";
import { seed } from "./random-runs.js";

/** Sets the seed of all random tests: `SITEFRAME_TEST_SEED`, which `.ci/full` draws, or a fixed seed. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
