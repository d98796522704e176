import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineFlags } from "../../src/kernel/engine/cell/engine-name.js";
import { findPython, type Python } from "../support/python.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { testedEngine } from "../support/tested-engine.js";

const repository = join(import.meta.dirname, "..", "..");
const folder = join(import.meta.dirname, "python");
/** All notebooks in `.ci/full`, one in `.ci/run`. `npm start` runs all of them without Python. */
const notebooks = readdirSync(join(repository, "notebooks")).filter((name) =>
  process.env["SITEFRAME_TEST_SIZE"] === "full" ? name.endsWith(".ipynb") : name === "quickstart.ipynb",
);
const python = findPython("jupyter_kernel_test, nbclient, nbconvert, jupyter_console, pexpect");

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run({ program, env }: Python, args: readonly string[]): Promise<Ended> {
  const child = spawn(program, args, { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
}

describe.runIf(python)("Jupyter", () => {
  const { program, env } = python ?? { program: "", env: {} };
  let service: SampleService;

  beforeAll(async () => {
    service = await startSampleService();
  });
  afterAll(() => service.close());

  test("finds the kernel", async () => {
    const { output } = await run({ program, env }, ["-m", "jupyter", "kernelspec", "list", "--json"]);
    // VS Code also reads it.
    const { spec, resource_dir } = JSON.parse(output).kernelspecs.siteframe;
    expect(spec).toMatchObject({
      argv: [
        ...[expect.any(String), ...engineFlags, expect.stringMatching(/kernel-main\.js$/), "{connection_file}"],
        ...(testedEngine === "tslab" ? ["--engine", "tslab"] : []),
      ],
      display_name: "TypeScript (Siteframe)",
      language: "typescript",
      interrupt_mode: "message",
      metadata: { debugger: true },
    });
    for (const file of [spec.argv[0], spec.argv[1 + engineFlags.length]]) {
      expect(isAbsolute(file) && existsSync(file), file).toBe(true);
    }
    expect(readdirSync(resource_dir).sort()).toEqual([
      ...["kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"],
    ]);
    for (const size of [32, 64]) {
      const picture = readFileSync(join(resource_dir, `logo-${size}x${size}.png`));
      expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([size, size]);
    }
  });

  test("the public test suite passes, with nothing skipped", async () => {
    const { code, output } = await run({ program, env }, [join(folder, "kernel_suite.py")]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/Ran \d+ tests/);
    expect(output).not.toMatch(/skipped/);
  });

  test("its console runs cells, prompts, shows errors and interrupts", async () => {
    const { code, output } = await run({ program, env }, [join(folder, "console.py")]);
    expect(code, output).toBe(0);
  });

  test("its client exchanges all kinds of messages", async () => {
    const { code, output } = await run({ program, env }, [join(folder, "messaging.py")]);
    expect(code, output).toBe(0);
    expect(output).toMatch(/Ran \d+ tests/);
  });

  test.each(notebooks)("%s runs with nbclient and nbconvert", async (name) => {
    const target = join(await mkdtemp(join(tmpdir(), "siteframe-nbconvert-")), "page.html");
    const access = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey };
    const args = [join(folder, "execute_notebook.py"), join(repository, "notebooks", name), target];
    const { code, output } = await run({ program, env: { ...env, ...access } }, args);
    expect(code, output).toBe(0);
    // nbconvert shows a figure as an image.
    expect(readFileSync(target, "utf8")).toMatch(/<table|<svg|<img[^>]+src="data:image\/(svg\+xml|png)/);
  });
});
