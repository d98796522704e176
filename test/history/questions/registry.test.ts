import { describe, expect, expectTypeOf, it } from "vitest";
import { History } from "../../../src/history/history.js";
import type { QuestionOptions } from "../../../src/history/questions/answer.js";
import { engineQuestions, specifications } from "../../../src/history/questions/by-name.js";
import { Questions } from "../../../src/history/questions/questions.js";
import type * as registry from "../../../src/history/questions/registry.js";
import type { Specification } from "../../../src/history/questions/specification.js";

type Registry = typeof registry;

type Given<Question> = Question extends Specification<infer All extends readonly unknown[], object> ? All : never;

/** Questions without a method, and those whose method takes what their specification does not. */
type Undeclared<Asked> = {
  [Name in keyof Registry]: Name extends keyof Asked
    ? Asked[Name] extends (...given: infer Taken extends readonly unknown[]) => unknown
      ? Required<Taken> extends readonly [
          ...Required<Given<Registry[Name]>>,
          ...(readonly [] | readonly [QuestionOptions]),
        ]
        ? never
        : Name
      : Name
    : Name;
}[keyof Registry];

describe("the registry of questions", () => {
  it("has methods of histories and engines that take what its specifications take", () => {
    expectTypeOf<Undeclared<History>>().toEqualTypeOf<never>();
    type InMemoryAlone =
      | "at"
      | "layerAt"
      | "survival"
      | "againstPlan"
      | "forecast"
      | "progress"
      | "versions"
      | "ageing"
      | "flow";
    expectTypeOf<Undeclared<Questions>>().toEqualTypeOf<InMemoryAlone>();
    for (const name of specifications.keys()) {
      expect(History.prototype).toHaveProperty(name);
      expect(Questions.prototype).toHaveProperty(name);
    }
  });

  it("says of each question what it answers, in a sentence, and how", () => {
    for (const [name, { summary, memory, layer }] of specifications) {
      expect(summary, name).toMatch(/^[A-Z].*\.$/);
      expect(memory ?? layer, name).toBeTypeOf("function");
    }
    expect(new Set([...specifications.values()].map(({ summary }) => summary)).size).toBe(specifications.size);
    for (const [name, { engine }] of engineQuestions) expect(engine, name).toBeTypeOf("function");
  });
});
