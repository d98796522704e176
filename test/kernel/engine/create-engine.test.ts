import { expect, onTestFinished, test } from "vitest";
import { engineName } from "../../../src/kernel/engine/cell/engine-name.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { RecordingSink } from "./recording-sink.js";

test("without a native compiler for the platform, cells run with tslab after a warning", async () => {
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
    expect.stringMatching(
      /^stderr: The TypeScript compiler for \w+-loong64 is not installed\. Siteframe uses tslab instead\. Run/,
    ),
  ]);
});

test("engines are selected by name", () => {
  expect(engineName()).toBe("typescript");
  expect(engineName("tslab")).toBe("tslab");
  expect(() => engineName("deno")).toThrow("Unknown engine");
});
