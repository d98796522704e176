import { describe, expect, expectTypeOf, it } from "vitest";
import { History } from "../../../../src/history/history.js";
import { LazyHistory } from "../../../../src/history/lazy/lazy-history.js";
import type { LazyOptions } from "../../../../src/history/lazy/lazy-table.js";
import { engineQuestions, specifications } from "../../../../src/history/questions/define/question-methods.js";
import type * as registry from "../../../../src/history/questions/define/registry.js";
import type { Specification } from "../../../../src/history/questions/define/specification.js";

type Registry = typeof registry;

type Given<Question> = Question extends Specification<infer All extends readonly unknown[], object> ? All : never;

/** Questions without a method, and questions whose method accepts other arguments than their specification. */
type Undeclared<Asked> = {
  [Name in keyof Registry]: Name extends keyof Asked
    ? Asked[Name] extends (...given: infer Taken extends readonly unknown[]) => unknown
      ? Required<Taken> extends readonly [...Required<Given<Registry[Name]>>, ...(readonly [] | readonly [LazyOptions])]
        ? never
        : Name
      : Name
    : Name;
}[keyof Registry];

describe("the registry of questions", () => {
  it("has methods of histories and engines with the arguments of its specifications", () => {
    expectTypeOf<Undeclared<History>>().toEqualTypeOf<never>();
    type InMemoryAlone =
      | "joinAsOf"
      | "layerAsOf"
      | "survival"
      | "planVariance"
      | "forecast"
      | "progress"
      | "versions"
      | "aging"
      | "flow";
    expectTypeOf<Undeclared<LazyHistory>>().toEqualTypeOf<InMemoryAlone>();
    for (const name of specifications.keys()) {
      expect(History.prototype).toHaveProperty(name);
      expect(LazyHistory.prototype).toHaveProperty(name);
    }
  });

  it("has a summary and an implementation of each question", () => {
    for (const [name, { summary, memory, layer }] of specifications) {
      expect(summary, name).toMatch(/^[A-Z].*\.$/);
      expect(memory ?? layer, name).toBeTypeOf("function");
    }
    expect(new Set([...specifications.values()].map(({ summary }) => summary)).size).toBe(specifications.size);
    for (const [name, { engine }] of engineQuestions) expect(engine, name).toBeTypeOf("function");
  });
});
