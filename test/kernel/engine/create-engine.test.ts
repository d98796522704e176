import { expect, onTestFinished, test } from "vitest";
import { engineName } from "../../../src/kernel/engine/cell/engine-name.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { RecordingSink } from "./recording-sink.js";

test("where there is no native compiler for the platform, that is told, and tslab is taken", async () => {
  const { arch } = process;
  Object.defineProperty(process, "arch", { value: "loong64" });
  onTestFinished(() => {
    Object.defineProperty(process, "arch", { value: arch });
  });
  const engine = await createEngine();
  onTestFinished(() => engine.close());
  const sink = new RecordingSink();
  expect(await engine.execute("1 + 1", { sink })).toMatchObject({ status: "ok", result: { "text/plain": "2" } });
  expect(sink.events).toEqual([
    expect.stringMatching(/^stderr: There is no TypeScript compiler for \w+-loong64\. tslab is taken\. Run/),
  ]);
});

test("an engine is known by its name", () => {
  expect(engineName()).toBe("typescript");
  expect(engineName("tslab")).toBe("tslab");
  expect(() => engineName("deno")).toThrow("There is no engine");
});
