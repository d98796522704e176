import { expect, test } from "vitest";
import { errorChain } from "../../../../src/tables/display/html/error-chain.js";
import { toMimeBundle } from "../../../../src/tables/display/to-mime-bundle.js";

const traps = Reflect.ownKeys(Reflect).filter((key): key is string => typeof key === "string");

function refuse(): never {
  throw new Error("trap");
}

const sets = [traps, ...traps.map((trap) => [trap])].map((names) =>
  Object.fromEntries(names.map((name) => [name, refuse])),
);

const makers: readonly (readonly [string, () => object])[] = [
  ["object", () => ({ own: 1 })],
  ["error", () => new RangeError("own")],
  ["function", () => function own() {}],
];

test.each(makers)("describes a thrown value in a proxy with throwing traps: %s", (_, make) => {
  for (const handler of sets) {
    const [first] = errorChain(new Proxy(make(), handler));
    expect(`${first?.name} ${first?.message}`, Object.keys(handler).join()).toContain("own");
  }
});

test("describes causes and errors of an AggregateError in such proxies", () => {
  const [all = {}] = sets;
  const proxy = () => new Proxy({ own: 1 }, all);
  const lines = errorChain(
    new Error("outer", { cause: new AggregateError([proxy(), proxy()], "both", { cause: proxy() }) }),
  );
  expect(lines.map(({ message }) => message)).toEqual(["outer", "both", ...Array(3).fill("{ own: 1 }")]);
});

test("counts errors of an AggregateError beyond five in a note", () => {
  const errors = Array.from({ length: 7 }, (_, n) => new Error(`e${n}`));
  const links = errorChain(new AggregateError(errors, "all"));
  expect(links.map(({ message }) => message)).toEqual(["all", "e0", "e1", "e2", "e3", "e4", "… and 2 more errors"]);
  expect(links.at(-1)).toMatchObject({ label: "", name: "", hint: undefined, isOwn: false });
});

test("describes values with throwing getters and invalid messages", async () => {
  const throwHostile = () => {
    throw hostile;
  };
  const hostile: object = new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, throwHostile])));
  const error = Object.defineProperty(new Error("own"), "message", { get: throwHostile });
  const [first] = errorChain(Object.assign(new Error("x"), { name: { toString: refuse } }));
  expect(errorChain(error)[0]).toMatchObject({ name: "Error", message: expect.stringContaining("cannot be") });
  expect(first).toMatchObject({ name: "Thrown", message: "x" });
  const failing = { own: 1, [Symbol.for("Jupyter.display")]: throwHostile };
  expect((await toMimeBundle(failing))["text/plain"]).toContain("own: 1");
});

test.each(makers)("displays a proxy with throwing traps: %s", async (_, make) => {
  for (const handler of sets) {
    expect((await toMimeBundle(new Proxy(make(), handler)))["text/plain"]).toContain("own");
  }
});
