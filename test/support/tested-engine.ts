import { engineName } from "../../src/kernel/engine/cell/engine-name.js";

/** Engine of cells in tests of kernels, notebooks and commands. Default: that of the kernel. */
export const testedEngine = engineName(process.env["SITEFRAME_TEST_ENGINE"] || undefined);
