// Plugin of Stryker that rejects each mutant outside the sample: the range of a mutant also contains the mutants inside it.
import { readFileSync } from "node:fs";
import { placeOf } from "./list-mutants.mjs";

class SampleChecker {
  #places = new Set();

  async init() {
    this.#places = new Set(JSON.parse(readFileSync(process.env["SITEFRAME_MUTATION_SAMPLE"], "utf8")).map(placeOf));
  }

  async check(mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        this.#places.has(placeOf(mutant))
          ? { status: "passed" }
          : { status: "compileError", reason: "not in the sample" },
      ]),
    );
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: SampleChecker }];
