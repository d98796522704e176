import { expect, test } from "vitest";
import { DependencyError } from "../../../src/core/errors.js";
import { chooseEngine } from "../../../src/kernel/engine/choose-engine.js";
import { NoCompilerError } from "../../../src/kernel/engine/typescript/check/native-compiler.js";

const there = () => undefined;
const noCompiler = () => {
  throw new NoCompilerError("linux-loong64", undefined);
};
const noTslab = () => {
  throw new DependencyError("tslab is not installed");
};

test("the chosen engine is used if it is installed", () => {
  expect(chooseEngine("typescript", { typescript: there, tslab: noTslab })).toEqual({ engine: "typescript" });
  expect(chooseEngine("tslab", { typescript: noCompiler, tslab: there })).toEqual({ engine: "tslab" });
});

test("without any engine, the error contains the command to install either", () => {
  const choose = () => chooseEngine("typescript", { typescript: noCompiler, tslab: noTslab });
  expect(choose).toThrow(NoCompilerError);
  expect(choose).toThrow(
    expect.objectContaining({
      code: "ERR_NO_COMPILER",
      hint: expect.stringMatching(/--include=optional.*npm install tslab@1/),
    }),
  );
});

test("no other engine replaces a missing tslab", () => {
  expect(() => chooseEngine("tslab", { typescript: there, tslab: noTslab })).toThrow("tslab is not installed");
});

test("other errors of a package are thrown", () => {
  const broken = () => {
    throw new RangeError("broken");
  };
  expect(() => chooseEngine("typescript", { typescript: broken, tslab: there })).toThrow("broken");
  expect(() => chooseEngine("typescript", { typescript: noCompiler, tslab: broken })).toThrow("broken");
});
