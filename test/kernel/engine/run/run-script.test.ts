import { expect, test } from "vitest";
import { UsingContext } from "../../../../src/kernel/engine/run/run-script.js";

/** As oxc writes a block with `using`. */
function block(run: (context: UsingContext) => void): void {
  const context = new UsingContext();
  try {
    run(context);
  } catch (error) {
    context.e = error;
  } finally {
    context.d();
  }
}

function resource(name: string, told: string[], error?: Error): Disposable {
  return {
    [Symbol.dispose]() {
      told.push(name);
      if (error) throw error;
    },
  };
}

test("values are disposed of, the last one first, and nothing stands for none", () => {
  const told: string[] = [];
  block((context) => {
    expect(context.u(null)).toBeNull();
    context.u(resource("a", told));
    context.u(resource("b", told));
    told.push("end");
  });
  expect(told).toEqual(["end", "b", "a"]);
});

test("the error of the block is thrown after all was disposed of", () => {
  const told: string[] = [];
  const failing = () =>
    block((context) => {
      context.u(resource("a", told));
      throw new RangeError("far");
    });
  expect(failing).toThrow(new RangeError("far"));
  expect(told).toEqual(["a"]);
});

test("an error of disposing holds the one before it", () => {
  const told: string[] = [];
  const failing = () =>
    block((context) => {
      context.u(resource("a", told, new Error("a")));
      context.u(resource("b", told, new Error("b")));
    });
  expect(failing).toThrow(
    expect.objectContaining({ name: "SuppressedError", error: new Error("a"), suppressed: new Error("b") }),
  );
  expect(told).toEqual(["b", "a"]);
});

test("what cannot be disposed of is refused", () => {
  expect(() => block((context) => context.u({}))).toThrow(TypeError);
});

test("asynchronous values are awaited in their turn", async () => {
  const told: string[] = [];
  const context = new UsingContext();
  context.a({
    async [Symbol.asyncDispose]() {
      await null;
      told.push("late");
    },
  });
  context.u(resource("soon", told));
  context.a(undefined);
  await context.d();
  expect(told).toEqual(["soon", "late"]);
});
