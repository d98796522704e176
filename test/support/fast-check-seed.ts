import fc from "fast-check";
import { seed } from "./random-runs.js";

/** All random tests have the same seed on each run, unless `SITEFRAME_TEST_SEED`, which `.ci/full` draws, gives another. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
