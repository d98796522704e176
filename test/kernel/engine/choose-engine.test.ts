import { expect, test } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { chooseEngine } from "../../../src/kernel/engine/choose-engine.js";
import { NoCompilerError } from "../../../src/kernel/engine/typescript/check/native-compiler.js";

const there = () => undefined;
const noCompiler = () => {
  throw new NoCompilerError("linux-loong64", undefined);
};
const noTslab = () => {
  throw new ArgumentError("tslab is not installed");
};

test("what is wanted and installed is taken", () => {
  expect(chooseEngine("typescript")).toEqual({ engine: "typescript" });
  expect(chooseEngine("tslab")).toEqual({ engine: "tslab" });
  expect(chooseEngine("typescript", { typescript: there, tslab: noTslab })).toEqual({ engine: "typescript" });
  expect(chooseEngine("tslab", { typescript: noCompiler, tslab: there })).toEqual({ engine: "tslab" });
});

test("without a native compiler tslab is taken if it is there, with a warning", () => {
  expect(chooseEngine("typescript", { typescript: noCompiler, tslab: there })).toEqual({
    engine: "tslab",
    warning: expect.stringMatching(/^There is no TypeScript compiler for linux-loong64\. tslab is taken\. Run/),
  });
});

test("without both, the error says what to install for either", () => {
  const choose = () => chooseEngine("typescript", { typescript: noCompiler, tslab: noTslab });
  expect(choose).toThrow(NoCompilerError);
  expect(choose).toThrow(
    expect.objectContaining({
      code: "ERR_NO_COMPILER",
      hint: expect.stringMatching(/--include=optional.*npm install tslab@1/),
    }),
  );
});

test("nothing is taken for tslab", () => {
  expect(() => chooseEngine("tslab", { typescript: there, tslab: noTslab })).toThrow("tslab is not installed");
});

test("what else is wrong with a package is not hidden", () => {
  const broken = () => {
    throw new RangeError("broken");
  };
  expect(() => chooseEngine("typescript", { typescript: broken, tslab: there })).toThrow("broken");
  expect(() => chooseEngine("typescript", { typescript: noCompiler, tslab: broken })).toThrow("broken");
});
