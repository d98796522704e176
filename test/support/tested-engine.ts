import { engineName } from "../../src/kernel/engine/cell/engine-name.js";

/** What understands the cells in tests of kernels, notebooks and commands: `SITEFRAME_TEST_ENGINE`, or the default. */
export const testedEngine = engineName(process.env["SITEFRAME_TEST_ENGINE"] || undefined);
