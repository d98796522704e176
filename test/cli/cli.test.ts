import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documents } from "../docs/documents.js";
import { pruneLater } from "../snapshot/prune-later.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findBrowser } from "../support/browser.js";
import { notebookText } from "../support/notebook-text.js";
import { change, feature } from "../support/records.js";
import { type SampleService, startSampleService } from "../support/sample-service.js";
import { serveRecords } from "../support/serve-records.js";
import { testedEngine } from "../support/tested-engine.js";
import { type Ended, ended, program, runSiteframe } from "./run-siteframe.js";

const folder = temporaryFolder();
let service: SampleService;

beforeAll(async () => {
  service = await startSampleService();
});

afterAll(() => service.close());

function siteframe(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return runSiteframe([...args, ...(args[0] === "run" ? ["--engine", testedEngine] : [])], env);
}

/** Variables with the address and key of the sample service. */
const live = () => ({ SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey });

/** Runs a command that fails with exit code 1 and one sentence, without a stack. @returns its standard error */
async function expectFailure(args: readonly string[], sentence: RegExp, env = {}): Promise<string> {
  const { code, stderr } = await siteframe(args, env);
  expect([code, lastLine(stderr)]).toEqual([1, expect.stringMatching(sentence)]);
  expect(stderr).not.toMatch(/^\s+at /m);
  return stderr;
}

function notebook(name: string, ...sources: readonly string[]): string {
  const path = join(folder, `${name}.ipynb`);
  writeFileSync(path, notebookText(sources.map((source) => ({ source }))));
  return path;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** Runs a command with a limit on the size of files, which fails as on a full disk. */
function onFullDisk(command: string, kilobytes: number): Promise<Ended> {
  return ended(spawn("bash", ["-c", `ulimit -f ${kilobytes}; exec node ${program} ${command}`]));
}

describe.runIf(process.platform === "linux")("a full disk", () => {
  it("leaves the previous notebook and page unchanged", async () => {
    const place = mkdtempSync(join(folder, "full-"));
    const [out, html] = [join(place, "night.ipynb"), join(place, "night.html")];
    for (const path of [out, html]) writeFileSync(path, "last night's");
    const path = notebook("full", '"x".repeat(5000)');
    const words = "cannot be written: a file would be too large. Free disk space";
    const [one, other] = await Promise.all([
      onFullDisk(`run ${path} --out ${out}`, 4),
      onFullDisk(`run ${path} --html ${html}`, 4),
    ]);
    expect([one.code, lastLine(one.stderr)]).toEqual([1, expect.stringContaining(`${out} ${words}`)]);
    expect([other.code, lastLine(other.stderr)]).toEqual([1, expect.stringContaining(`${html} ${words}`)]);
    expect(readdirSync(place).map((name) => readFileSync(join(place, name), "utf8"))).toEqual([
      "last night's",
      "last night's",
    ]);
  });

  it("is reported in one sentence if standard output goes to it", async () => {
    const ended = await onFullDisk("openapi > /dev/full", 1000);
    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: "siteframe: standard output cannot be written: the device has no space left.\n",
    });
  });
});

describe("siteframe run", () => {
  const read = 'import { connect } from "siteframe";\n(await connect().sites()).numRows()';

  it("executes a notebook over HTTP and writes it with a page", async () => {
    const path = notebook("good", read);
    const out = join(folder, "out", "good.ipynb");
    const html = join(folder, "out", "good.html");
    expect(await siteframe(["run", path, "--out", out, "--html", html], live())).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/: Wrote .*\.ipynb, .*\.html \(\d+ cells?, [\d.]+ s\)\.\n$/),
    });
    expect(JSON.parse(readFileSync(out, "utf8")).cells[0].outputs[0].data["text/plain"]).toEqual(["4"]);
    expect(readFileSync(html, "utf8")).toContain("<!doctype html>");
  });

  it.each([
    ["a wrong key", { SITEFRAME_API_KEY: "secret-but-wrong" }, /AuthError: .*key/],
    ["an unreachable address", { SITEFRAME_BASE_URL: "http://127.0.0.1:9" }, /NetworkError: .*127\.0\.0\.1:9/],
    ["no address", { SITEFRAME_BASE_URL: "" }, /ArgumentError: .*base/i],
  ])("ends with one sentence on %s", async (_, broken, sentence) => {
    const path = notebook("broken", read.replace("connect()", "connect({ retries: 0 })"));
    const stderr = await expectFailure(["run", path], sentence, { ...live(), ...broken });
    expect(stderr).not.toContain("secret-but-wrong");
  });

  it("ends with one sentence on an unknown parameter of the API", async () => {
    const path = notebook("unknown", read.replace(".sites()", ".sites({ nmae: 1 } as object)"));
    await expectFailure(["run", path], /sites has no parameter "nmae"\. Parameters: id\./, live());
  });

  it("marks the line of a notebook that throws, and shows a stack with --debug only", async () => {
    const path = notebook("throws", "1 + 1", 'const x = 1;\nthrow new Error("the gate is closed")');
    const ended = await siteframe(["run", path]);
    expect(ended.code).toBe(1);
    expect(lastLine(ended.stderr)).toMatch(/throws\.ipynb: cell \[2\] failed: Error: the gate is closed/);
    expect(ended.stderr).toContain("throw new Error");
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect((await siteframe(["--debug", "run", path])).stderr).toMatch(/^\s+at /m);
  });

  it("prints the hint and the causes of an error, and no colors without a terminal", async () => {
    const hint = await siteframe(["run", notebook("hint", "connect()")], { SITEFRAME_BASE_URL: "" });
    expect(hint.stderr).toMatch(
      /ArgumentError: connect\(\): `baseUrl` is missing\.\nPass baseUrl, or set SITEFRAME_BASE_URL/,
    );
    const source = "const load = () => { throw new Error('outer', { cause: new RangeError('inner') }); };\nload()";
    const cause = await siteframe(["run", notebook("cause", source)], { FORCE_COLOR: "1" });
    expect(cause.stderr).toMatch(
      /^Error: outer\n {4}at load \(Cell 1:1:28\)\n[\s\S]*\nCaused by:\nRangeError: inner\n/,
    );
    expect(cause.stderr).not.toContain("\u001b");
  });

  it("passes parameters", async () => {
    const path = notebook("parameters", "console.log(JSON.stringify([site, name]))");
    const out = join(folder, "parameters.ipynb");
    expect(await siteframe(["run", path, "--out", out, "-p", "site=12", "-p", "name=Llano Verde"])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(out, "utf8")).toContain('[12,\\"Llano Verde\\"]');
    expect(await siteframe(["run", path, "-p", "nonsense"])).toMatchObject({ code: 1 });
  });

  it("prints the output of a script, but not of a notebook", async () => {
    const source = 'console.log("rows", 3);\nprocess.stderr.write("slow\\n");\n[1, 2]';
    const script = join(folder, "script.ts");
    writeFileSync(script, `// %%\n${source}\n// %%\nconsole.log("done");\n`);
    expect(await siteframe(["run", script])).toMatchObject({ code: 0, stdout: "rows 3\ndone\n", stderr: "slow\n" });
    expect(await siteframe(["run", notebook("silent", source)])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/silent\.ipynb: ok \(1 cell, [\d.]+ s\)\n$/),
    });
  });
});

describe("pages of siteframe run", () => {
  const source = 'import { connect } from "siteframe";\nconst layer = await connect().layer({ site_id: 101 });\nlayer';

  it("have no code and addresses with --no-code", async () => {
    const html = join(folder, "for-others.html");
    const args = ["run", notebook("for-others", source), "--no-code", "--title", "Weekly", "--html", html];
    expect(await siteframe(args, live())).toMatchObject({ code: 0 });
    const page = readFileSync(html, "utf8");
    expect(page).toContain("<title>Weekly</title>");
    expect(page).toContain("Layer from the service, read ");
    for (const hidden of ["127.0.0.1", "connect", "ran without errors"]) expect(page).not.toContain(hidden);
  });

  it("stay unchanged if a cell fails, and a message reports it", async () => {
    const html = join(folder, "kept.html");
    writeFileSync(html, "last night's");
    const path = notebook("kept", "throw new Error('no')");
    const failed = await siteframe(["run", path, "--no-code", "--html", html]);
    expect([failed.code, readFileSync(html, "utf8")]).toEqual([1, "last night's"]);
    expect(failed.stderr).toMatch(/kept\.html is still the version of \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
    const withCode = await siteframe(["run", path, "--html", html]);
    expect([withCode.code, readFileSync(html, "utf8")]).toEqual([1, "last night's"]);
    expect(withCode.stderr).toMatch(/kept\.html is still the version of /);
    const allowed = await siteframe(["run", path, "--html", html, "--allow-failed"]);
    expect([allowed.code, readFileSync(html, "utf8").includes('class="status failed"')]).toEqual([1, true]);
    const first = join(folder, "first.html");
    expect((await siteframe(["run", path, "--html", first])).code).toBe(1);
    expect(readFileSync(first, "utf8")).toContain('class="status failed"');
    const none = await siteframe(["run", path, "--pdf", join(folder, "none.pdf")]);
    expect(none.stderr).toContain("none.pdf was not written.");
    expect(existsSync(join(folder, "none.pdf"))).toBe(false);
  });

  it("need an existing logo and browser", async () => {
    const path = join(folder, "logo.ipynb");
    const front = { cell_type: "raw", metadata: {}, source: "---\nlogo: none.svg\n---" };
    writeFileSync(path, JSON.stringify({ cells: [front], metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    await expectFailure(
      ["run", path, "--html", join(folder, "logo.html")],
      /The logo .*none\.svg does not exist\. Use/,
    );
    const args = ["run", notebook("unprinted", "1"), "--pdf", join(folder, "unprinted.pdf")];
    const browser = { SITEFRAME_BROWSER: "/no/browser" };
    await expectFailure(args, /SITEFRAME_BROWSER: file not found: \/no\/browser\. Install Chromium/, browser);
    if (process.platform !== "linux") return;
    await expectFailure(args, /needs a browser, and none was found\. Install Chromium/, { PATH: folder });
  });

  it.runIf(findBrowser())("are printed as a PDF with bookmarks", async () => {
    const path = join(folder, "printed.ipynb");
    const text = (source: string) => ({ cell_type: "markdown", metadata: {}, source });
    const cells = [text("# Report\n\n[a link](https://example.com)"), text("## Second part")];
    writeFileSync(path, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    const pdf = join(folder, "printed.pdf");
    const ended = await siteframe(["run", path, "--no-code", "--pdf", pdf, "--paper", "A4"]);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/ \(\d+ cells?, [\d.]+ s\)\.?\n$/) });
    const bytes = readFileSync(pdf, "latin1");
    expect(bytes.startsWith("%PDF-")).toBe(true);
    expect(bytes).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12]/);
    for (const part of ["/Outlines", "/URI (https://example.com/)", "/StructTreeRoot"]) expect(bytes).toContain(part);
  });
});

describe("options of siteframe run", () => {
  it("accept several notebooks, and a message lists the failed ones", async () => {
    const good = notebook("first", "1 + 1");
    const bad = notebook("second", "throw new Error('no')");
    const out = join(folder, "several");
    const ended = await siteframe(["run", bad, good, "--out", out]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/first\.ipynb: Wrote .*first\.ipynb \(1 cell, /);
    expect(lastLine(ended.stderr)).toMatch(/1 of 2 notebooks failed: .*second\.ipynb/);
    expect(readFileSync(join(out, "first.ipynb"), "utf8")).toContain('"2"');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect((await siteframe(["--debug", "run", bad, bad])).stderr).toMatch(/NotebookRunError: .*no\n\s+at /);
  });

  it("accept an existing folder for outputs, but not two notebooks for one file", async () => {
    const [one, other] = [notebook("same", "1"), join(folder, "elsewhere", "same.ipynb")];
    const out = join(folder, "existing");
    for (const each of [out, join(folder, "elsewhere")]) mkdirSync(each);
    writeFileSync(other, readFileSync(one));
    expect(await siteframe(["run", one, "--out", out, "--html", out])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/ \(\d+ cells?, [\d.]+ s\)\.?\n$/),
    });
    expect(readdirSync(out).sort()).toEqual(["same.html", "same.ipynb"]);
    const both = await siteframe(["run", one, other, "--html", out]);
    expect(both.code).toBe(1);
    expect(both.stderr).toContain("two notebooks are called same.ipynb");
  });

  it("reject parameters that a notebook lacks before any cell runs, unless allowed", async () => {
    const path = notebook("tagged", "let siteName = 'A';\nlet day = 1; // sight", "console.log(siteName)");
    writeFileSync(path, readFileSync(path, "utf8").replace('"metadata":{}', '"metadata":{"tags":["parameters"]}'));
    const out = join(folder, "untagged");
    const refused = `${path}: unknown parameter sitename.`;
    const hint = 'Did you mean "siteName"? Parameters: siteName, day. Add --allow-unknown to run it anyway.';
    const first = notebook("untagged", "1 + 1");
    for (const paths of [[path], [first, path]]) {
      const ended = await siteframe(["run", ...paths, "--out", out, "-p", "sitename=B", "-p", "day=2"]);
      expect(ended).toEqual({ code: 1, stdout: "", stderr: `siteframe: ${refused} ${hint}\n` });
      expect(existsSync(out)).toBe(false);
    }
    const allowed = await siteframe(["run", path, "--out", out, "-p", "sitename=B", "--allow-unknown"]);
    expect(allowed).toMatchObject({ code: 0, stderr: expect.stringContaining(`${refused}\n`) });
    expect(readFileSync(out, "utf8")).toContain('"A\\n"');
  });

  it("leave files and tsconfig.json next to the notebook in effect, and errors show their lines", async () => {
    writeFileSync(
      join(folder, "sizes.ts"),
      "export const size = (n: number) => {\n  throw new RangeError('no ' + n);\n};",
    );
    const ended = await siteframe(["run", notebook("files", 'import { size } from "./sizes";\nsize(4);')]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /> 2 \| size\(4\);.*at size \(sizes\.ts:2:9\)\n\s+at Cell 1:2:\d+\n.*RangeError: no 4/s,
    );
    writeFileSync(join(folder, "tsconfig.json"), '{"compilerOptions": {"strict": true, "tarjet": 1}}');
    const strict = await siteframe(["run", notebook("strict", "const n: number = null;")]);
    rmSync(join(folder, "tsconfig.json"));
    expect(strict.stderr).toContain("TS2322");
  });

  it("check stored outputs cell by cell, also with a cell of parameters between", async () => {
    const path = notebook("checked", "console.log('a')", "1 + 1");
    expect((await siteframe(["run", path, "--check"])).code).toBe(1);
    expect((await siteframe(["run", path, "--out", path])).code).toBe(0);
    for (const parameters of [[], ["-p", "site=12"]]) {
      expect(await siteframe(["run", path, "--check", ...parameters])).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/ \(\d+ cells?, [\d.]+ s\)\.?\n$/),
      });
    }
    writeFileSync(path, readFileSync(path, "utf8").replace("1 + 1", "1 + 2"));
    const ended = await siteframe(["run", path, "--check"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/--- stored.*2\n\+\+\+ now.*3/s);
    expect(lastLine(ended.stderr)).toMatch(/^siteframe run: .*the outputs of 1 cell differ .*--out /);
    const both = await siteframe(["run", path, notebook("sound", "1"), "--check"]);
    expect(both.code).toBe(1);
    expect(lastLine(both.stderr)).toMatch(/2 of 2 notebooks failed/);
    expect((await siteframe(["run", path, "--check", "--out", path])).code).toBe(1);
  });
});

describe("siteframe run --check", () => {
  it("fails if stored cells ran in another order", async () => {
    const path = notebook("disordered", "let x = 1;", "x = 2;", "x");
    expect((await siteframe(["run", path, "--out", path])).code).toBe(0);
    const stored = JSON.parse(readFileSync(path, "utf8"));
    for (const [index, count] of [1, 3, 2].entries()) stored.cells[index].execution_count = count;
    writeFileSync(path, JSON.stringify(stored));
    const ended = await siteframe(["run", path, "--check"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("cell 3 used x of cell 1; in the order of the file, it is that of cell 2.");
    expect(lastLine(ended.stderr)).toMatch(/^siteframe run: .* in another order .*--out /);
  });
});

describe("siteframe kernel", () => {
  it("installs and uninstalls under a prefix and for a user", async () => {
    const kernels = join(folder, "share", "jupyter", "kernels");
    const extension = join(folder, "share", "jupyter", "labextensions", "siteframe");
    expect(await siteframe(["kernel", "install", "--prefix", folder, "--name", "mine"])).toMatchObject({
      code: 0,
      stdout: `installed ${join(kernels, "mine")}\ninstalled ${extension}\n`,
    });
    const spec = JSON.parse(readFileSync(join(kernels, "mine", "kernel.json"), "utf8"));
    expect(spec).toMatchObject({ display_name: "TypeScript (Siteframe: mine)", interrupt_mode: "message" });
    expect(
      readFileSync(join(kernels, "mine", "logo-64x64.png"))
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const user = { JUPYTER_DATA_DIR: join(folder, "data") };
    expect((await siteframe(["kernel", "install", "--user"], user)).stdout).toContain(join(folder, "data", "kernels"));
    expect((await siteframe(["kernel", "install", "--sys-prefix"], { VIRTUAL_ENV: folder })).stdout).toContain(kernels);
    const uninstalled = await siteframe(["kernel", "uninstall", "--prefix", folder, "--name", "mine"]);
    expect(uninstalled).toMatchObject({ code: 0, stdout: `removed ${join(kernels, "mine")}\n` });
    expect(existsSync(extension), "another kernel still needs the extension").toBe(true);
    const last = await siteframe(["kernel", "uninstall", "--prefix", folder]);
    expect(last.stdout).toBe(`removed ${join(kernels, "siteframe")}\nremoved ${extension}\n`);
    expect(existsSync(extension)).toBe(false);
    const again = await siteframe(["kernel", "uninstall", "--prefix", folder, "--name", "mine"]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Kernel "mine" is not installed') });
    expect((await siteframe(["kernel", "install", "--name", "../x"])).code).toBe(1);
  });

  it("installs a kernel with the named engine", async () => {
    const prefix = join(folder, "engines");
    const argvOf = (name: string): readonly string[] =>
      JSON.parse(readFileSync(join(prefix, "share", "jupyter", "kernels", name, "kernel.json"), "utf8")).argv;
    await siteframe(["kernel", "install", "--prefix", prefix]);
    expect(argvOf("siteframe").at(-1)).toBe("{connection_file}");
    await siteframe(["kernel", "install", "--prefix", prefix, "--name", "older", "--engine", "tslab"]);
    expect(argvOf("older").slice(-3)).toEqual(["{connection_file}", "--engine", "tslab"]);
    expect(await siteframe(["kernel", "install", "--prefix", prefix, "--engine", "deno"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Unknown --engine "deno". Use one of typescript, tslab.'),
    });
  });

  it("omits JupyterLab's extension with --no-lab-extension", async () => {
    const prefix = join(folder, "without");
    const { stdout } = await siteframe(["kernel", "install", "--prefix", prefix, "--no-lab-extension"]);
    expect(stdout).toBe(`installed ${join(prefix, "share", "jupyter", "kernels", "siteframe")}\n`);
    expect(existsSync(join(prefix, "share", "jupyter", "labextensions"))).toBe(false);
    expect((await siteframe(["kernel", "uninstall", "--prefix", prefix])).stdout).not.toContain("labextensions");
  });

  it("prints the command to install a missing JupyterLab", async () => {
    await expectFailure(["lab"], /pip install jupyterlab/, { PATH: folder });
  });
});

describe("siteframe serve", () => {
  /** Starts a service on the sample company. `stop()` returns its exit code and its outputs. */
  async function serve(args: readonly string[]) {
    const child = spawn(process.execPath, [program, "serve", "--port", "0", ...args]);
    const end = ended(child);
    const line = await new Promise<string>((resolve) => child.stdout.once("data", (chunk) => resolve(String(chunk))));
    const stop = () => {
      child.kill("SIGTERM");
      return end;
    };
    return { url: /http:\S+/.exec(line)?.[0] ?? "", stop };
  }

  const ask = async (url: string, key: string) =>
    (await fetch(url, { headers: { authorization: `ApiKey ${key}` } })).status;

  it("prints its address, answers, and stops on SIGTERM", async () => {
    const { url, stop } = await serve(["--features", "1000", "--api-key", "k=1"]);
    expect([await ask(`${url}/sites`, "k"), await ask(`${url}/sites`, "other")]).toEqual([200, 401]);
    expect(await stop()).toEqual({ code: 0, stdout: `siteframe service listening on ${url}\n`, stderr: "" });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it("waits on SIGTERM for clients that read, and cuts off the others with exit code 1", async () => {
    for (const [reads, grace, expected] of [
      [true, "45", { code: 0, stderr: "" }],
      [false, "5", { code: 1, stderr: "siteframe: cut off 1 client during an answer.\n" }],
    ] as const) {
      const { url, stop } = await serve(["--features", "1000", "--grace", grace]);
      const page = "GET /layerFeatures?semantic_type=SOLAR_PANELS&_page=1&_pageSize=10000 HTTP/1.1";
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
        socket.write(`${page}\r\nHost: x\r\nAuthorization: ApiKey demo\r\n\r\n`.repeat(100));
      });
      let answers = 0;
      // A status line can begin in one chunk and end in the next.
      let rest = "";
      socket.on("error", () => {});
      await new Promise<void>((resolve) =>
        socket.on("data", (chunk) => {
          const text = rest + chunk.toString("latin1");
          answers += text.split("HTTP/1.1 200").length - 1;
          rest = text.slice(-"HTTP/1.1 20".length);
          socket.pause();
          resolve();
        }),
      );
      const stopped = stop();
      if (reads) {
        socket.on("data", () => setTimeout(() => socket.resume(), 1));
        socket.resume();
      }
      expect(await stopped).toMatchObject(expected);
      if (reads) expect(answers).toBe(100);
      socket.destroy();
    }
  });

  /** The lines that a service writes to standard error while it is used. */
  async function logOf(args: readonly string[], use: (url: string) => Promise<void>): Promise<readonly string[]> {
    const { url, stop } = await serve(args);
    await use(url);
    return (await stop()).stderr.split("\n").slice(0, -1);
  }

  it("logs each 5xx with its cause, and every request with --log requests, never with a key", async () => {
    const faults = join(folder, "faults.json");
    writeFileSync(faults, '{"rules": [{"path": "/blocks", "fault": "status", "status": 503}]}');
    const use = async (url: string) => {
      expect(await ask(`${url}/sites?id=1&api_key=s3cret-key`, "s3cret-key")).toBe(400);
      expect(await ask(`${url}/blocks?operation_id=1`, "s3cret-key")).toBe(503);
      expect(await ask(`${url}/sites`, "s3cret-key")).toBe(200);
    };
    const args = ["--features", "1000", "--api-key", "s3cret-key", "--faults", faults];
    const failed =
      /^\S+Z GET \/blocks\?operation_id=1 503 \d+ bytes [\d.]+ ms: HttpError: Injected fault: status 503\.$/;
    expect(await logOf(args, use)).toEqual([expect.stringMatching(failed)]);
    expect(await logOf([...args, "--log", "requests"], use)).toEqual([
      expect.stringMatching(/^\S+Z GET \/sites\?id=1&api_key=… 400 \d+ bytes [\d.]+ ms$/),
      expect.stringMatching(failed),
      expect.stringMatching(/^\S+Z GET \/sites 200 \d+ bytes [\d.]+ ms$/),
    ]);
  });

  it("serves the newest generation after its own was pruned, and names a missing file", async () => {
    const path = join(folder, "pruned.snapshot");
    const write = async (id: number) => {
      const dir = records("pruned", line(1));
      writeFileSync(join(dir, "layer_features.ndjson"), `${JSON.stringify(feature(id, { site_id: 1 }))}\n`);
      expect(await siteframe(["import", dir, path])).toMatchObject({ code: 0 });
    };
    await write(1);
    const sorted = (field: string) => `layerFeatures?site_id=1&_page=1&_sortBy=${field}`;
    const lines = await logOf([path, "--api-key", "pruned-key"], async (url) => {
      await write(2);
      expect(await pruneLater(path, 1)).toEqual([1]);
      expect(await ask(`${url}/${sorted("visible_id")}`, "pruned-key")).toBe(200);
      rmSync(join(path, "files", "layer_features"), { recursive: true });
      expect(await ask(`${url}/${sorted("description")}`, "pruned-key")).toBe(500);
    });
    const file = join(path, "files", "layer_features", "site_id=1", "part-");
    expect(lines).toEqual([
      `siteframe: generation 1 of ${path} was removed. Serving generation 2 now.`,
      expect.stringContaining(` GET /${sorted("description")} 500 `),
    ]);
    expect(lines[1]).toContain(`: SnapshotError: ${file}`);
    expect(lines[1]).toContain("is missing.");
  });

  it.each([
    [["serve", "--port", "99999"], /port/],
    [["serve", join("no", "such", "folder")], /no\/such\/folder/],
    [["serve", "--api-key", "k=x"], /site ids/],
    [["serve", "--api-key", "k", "--api-key", "k=1"], /--api-key lists a key twice\..*--api-key KEY=12,15/],
  ])("refuses %j in one sentence", async (args, sentence) => {
    await expectFailure(args, sentence);
  });
});

const line = (id: number) =>
  `{"id":${id},"company_id":7,"name":"Site ${id}","type":"SOLAR","stage":"PLANNING","coordinates":null,"geo_area":1.50,"peak_power":null,"ac_power":null,"address_line1":null,"address_line2":null,"address_line3":null}`;

function records(name: string, ...lines: readonly string[]): string {
  const dir = join(folder, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "sites.ndjson"), `${lines.join("\n")}\n`);
  return dir;
}

describe("siteframe import and export", () => {
  it("return the same records", async () => {
    const snapshot = join(folder, "given.snapshot");
    const imported = await siteframe(["import", records("given", line(2), line(1)), snapshot]);
    expect(imported).toMatchObject({ code: 0 });
    expect(imported.stderr).toMatch(/2 {2}sites/);
    expect(await siteframe(["export", snapshot, join(folder, "returned")])).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "returned", "sites.ndjson"), "utf8")).toBe(`${line(1)}\n${line(2)}\n`);
  });

  it("accept any log of changes", async () => {
    const log = join(folder, "log.csv");
    writeFileSync(log, "issue,status,at\nA-1,Open,2024-01-01 10:00\nA-1,Done,2024-01-02 10:00\n");
    const path = join(folder, "log.snapshot");
    const columns = ["--id", "issue", "--property", "status", "--value", "status", "--time", "at", "--type", "ISSUES"];
    const importLog = (...args: readonly string[]) => siteframe(["import", "--changes", log, ...columns, ...args]);
    expect(await importLog(path)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--time has times without a time zone[\s\S]*--time-zone "Europe\/Berlin"/),
    });
    const imported = await importLog("--time-zone", "UTC", path);
    expect(imported).toMatchObject({ code: 0, stderr: expect.stringMatching(/2 {2}propertyChanges/) });
    expect(imported.stderr).toContain("Times in the log: 2024-01-01T10:00:00.000Z to 2024-01-02T10:00:00.000Z");
    const [other, otherPath] = [join(folder, "other.csv"), join(folder, "other.snapshot")];
    writeFileSync(other, "issue~status~at\nÄ-1~Open~02/01/2024 10:00:00\n", "latin1");
    const written = ["--delimiter", "~", "--encoding", "windows-1252", "--time-zone", "UTC"];
    const guessed = await siteframe(["import", "--changes", other, ...columns, ...written, otherPath]);
    expect(guessed.stderr).toContain(
      'invalid time "02/01/2024 10:00:00" in row 0 (--time). Set --time-format "%m/%d/%Y %H:%M:%S" or --time-format "%d/%m/%Y %H:%M:%S"',
    );
    const american = [...columns, ...written, "--time-format", "%m/%d/%Y %H:%M:%S"];
    const stated = await siteframe(["import", "--changes", other, ...american, otherPath]);
    expect(stated.stderr).toContain("Times in the log: 2024-02-01T10:00:00");
    const query = "SELECT visible_id, status FROM ISSUES_AT('2024-01-01')";
    const past = await siteframe(["sql", path, query, "--format", "csv"]);
    expect(past.stdout.trim().split(/\r?\n/)).toEqual(["visible_id,status", "A-1,Open"]);
    expect((await siteframe(["import", "--id", "issue", "a", "b"])).stderr).toContain("--id needs --changes");
    expect((await importLog("--skip-bad", "a")).stderr).toContain("--skip-bad works with NDJSON files only");
    expect((await siteframe(["import", "a"])).stderr).toContain("the folder or the snapshot is missing");
    expect((await importLog("a", "b")).stderr).toContain("pass one argument");
  });

  it("name the file, line and reason of a bad line, or skip it with --skip-bad", async () => {
    const args = ["import", records("bad", line(1), '{"id":'), join(folder, "bad.snapshot")];
    await expectFailure(args, /sites\.ndjson:2: .*--skip-bad/);
    const skipped = await siteframe([...args, "--skip-bad"]);
    expect(skipped).toMatchObject({ code: 0, stderr: expect.stringMatching(/sites\.ndjson:2: /) });
    expect(lastLine(skipped.stderr)).toBe("Skipped 1 invalid line.");
  });
});

describe("siteframe pull, sql, verify and snapshot", () => {
  const snapshot = () => join(folder, "pulled.snapshot");
  const key = () => ({ SITEFRAME_API_KEY: service.apiKey });

  it("pull, pull again without changes, and list and prune generations", async () => {
    const first = await siteframe(["pull", snapshot(), "--base-url", service.url], key());
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toMatch(/^Wrote generation 1 .* with \d+ requests:\n(.*\n)* +1,000 {2}layerFeatures\n/);
    const again = await siteframe(["pull", snapshot(), "--lake"], { ...key(), SITEFRAME_BASE_URL: service.url });
    expect(again.stderr).toContain("Layer features: 0 new, 0 changed, 0 gone, 0 returned. Log: 0 new changes.");
    expect((await siteframe(["snapshot", "list", snapshot()])).stdout.trim().split("\n")).toHaveLength(2);
    const same = await siteframe(["snapshot", "diff", snapshot(), "1", "2", "--exit-code"]);
    expect(same).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^From generation 1 .* to generation 2 .*: no differences\.\n$/),
    });
    const kept = await siteframe(["snapshot", "prune", snapshot(), "--limit", "1"]);
    expect(kept.stdout).toMatch(
      /^Removed nothing of .*\. Kept generation 1 for readers: .* within the last 24 hours\.\n$/,
    );
    expect(await pruneLater(snapshot(), 1)).toEqual([1]);
    const pruned = await siteframe(["snapshot", "diff", snapshot(), "1", "2"]);
    expect(pruned).toMatchObject({ code: 1, stderr: expect.stringContaining("has no generation 1. Available: 2.") });
    expect((await siteframe(["snapshot", "list", snapshot()])).stdout).toMatch(/^ +2 {2}read 2.*1,000 layer features/);
  });

  it("show the differences of two generations as text and JSON, with an exit code on request", async () => {
    const path = join(folder, "two-generations.snapshot");
    for (const ids of [[1], [1, 2]]) {
      const records = ids.map((id) => `${JSON.stringify(feature(id))}\n`).join("");
      const given = mkdtempSync(join(folder, "state-"));
      writeFileSync(join(given, "layer_features.ndjson"), records);
      expect(await siteframe(["import", given, path])).toMatchObject({ code: 0 });
    }
    const text = await siteframe(["snapshot", "diff", path, "1", "2", "--exit-code"]);
    expect(text).toMatchObject({ code: 3, stderr: "" });
    expect(text.stdout).toMatch(
      /^From generation 1 .*\n {2}1 {2}new features\nwarning: The generations .*\n\nfeatures\n.*F-2 .*new/s,
    );
    const json = await siteframe(["snapshot", "diff", path, "--json"]);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ...{ from: { generation: 1 }, to: { generation: 2 }, counts: { new: 1 }, isDifferent: true },
      ...{
        features: [{ id: 2, change: "new" }],
        geometries: [],
        changes: [],
        diagnostics: [{ code: "origin-differs" }],
      },
    });
  });

  it("write the types of layers", async () => {
    const out = join(folder, "site.d.ts");
    const options = ["--semantic-type", "TRENCHES", "--semantic-type", "FENCES"];
    expect(await siteframe(["types", "--snapshot", snapshot(), ...options, "--out", out])).toMatchObject({
      code: 0,
      stdout: "",
    });
    const text = readFileSync(out, "utf8");
    expect(text).toContain('import type { FeatureRow } from "siteframe";');
    expect(text).toMatch(/export interface Trenches extends FeatureRow \{.*readonly "STATUS": string \| null;.*\n\}/s);
    const wrong = ["--semantic-type", "TRENCHES", "--semantic-type", "FENCE"];
    expect(await siteframe(["types", "--snapshot", snapshot(), ...wrong])).toMatchObject({
      ...{ code: 1, stdout: "" },
      stderr: expect.stringMatching(/unknown semantic type "FENCE"\.\s+Did you mean "FENCES"\?/),
    });
    const elsewhere = await siteframe(["types", "--snapshot", snapshot(), "--site", "999999"]);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      "siteframe types: the selected sites have no features. Select other sites with --site, or omit it to read all sites.\n",
    ]);
  });

  it("declare the tables of a snapshot to engines", async () => {
    const spark = await siteframe(["ddl", "spark", snapshot(), "--schema", "acme"]);
    expect(spark).toMatchObject({ code: 0, stderr: "" });
    expect(spark.stdout).toMatch(/^CREATE SCHEMA IF NOT EXISTS `acme`;\n/);
    expect(spark.stdout).toMatch(/LOCATION 'file:\/\/\/\S+\/generations\/00000\d\/layer_features'/);
    expect(existsSync(fileURLToPath(/'(file:[^']+)'/.exec(spark.stdout)?.[1] ?? ""))).toBe(true);
    const nowhere = await siteframe(["ddl", "trino", snapshot()]);
    expect(nowhere).toMatchObject({ code: 1, stdout: "" });
    expect(nowhere.stderr).toContain("--location s3://");
    const trino = await siteframe(["ddl", "trino", snapshot(), "--location", "s3://b/acme.snapshot"]);
    expect(trino.stdout).toMatch(/external_location = 's3:\/\/b\/acme.snapshot\/generations\/00000\d\/layer_features'/);
    const down = await siteframe([
      ...["ddl", "trino", snapshot(), "--location", "s3://b/acme.snapshot"],
      ...["--server", "http://127.0.0.1:1"],
    ]);
    expect(down).toMatchObject({ code: 1, stdout: "" });
    expect(down.stderr).toContain("Trino at http://127.0.0.1:1");
  });

  it("stop at a time that does not exist, or keep it and report it", async () => {
    const sites = readFileSync(join(records("odd", line(1)), "sites.ndjson"), "utf8");
    const bodies = { sites: `[${sites}]`, layerFeatures: JSON.stringify([feature(1, { site_id: 1 })]) };
    const propertyChanges = JSON.stringify([change(1, { created_at: "2024-02-30T00:00:00Z" })]);
    const server = await serveRecords({ ...bodies, propertyChanges });
    const odd = ["pull", join(folder, "odd.snapshot"), "--base-url", server.url];
    expect(await siteframe(odd, key())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("$.data[0].created_at"),
    });
    const kept = await siteframe([...odd, "--no-strict"], key());
    expect(kept).toMatchObject({ code: 0, stderr: expect.stringMatching(/wrote generation 1(.*\n)*.*2024-02-30/) });
    server.close();
  });

  it("print and write results of queries", async () => {
    const query = "SELECT id, name FROM sites ORDER BY id LIMIT 2";
    expect((await siteframe(["sql", snapshot(), query])).stdout).toMatch(/id.*name/);
    const csv = (await siteframe(["sql", snapshot(), query, "--format", "csv"])).stdout;
    expect(csv.split("\n")[0]).toBe("id,name");
    expect(JSON.parse((await siteframe(["sql", snapshot(), query, "--format", "json"])).stdout)).toHaveLength(2);
    const out = join(folder, "sites.parquet");
    expect(await siteframe(["sql", snapshot(), query, "--format", "parquet", "--out", out])).toMatchObject({ code: 0 });
    expect(readFileSync(out).subarray(0, 4).toString()).toBe("PAR1");
    for (const [format, magic] of [
      ["xlsx", "PK"],
      ["gpkg", "SQLite format 3"],
    ] as const) {
      const file = join(folder, `trenches.${format}`);
      const asked = ["sql", snapshot(), "FROM TRENCHES", "--format", format];
      expect(await siteframe([...asked, "--out", file])).toMatchObject({ code: 0 });
      expect(readFileSync(file).subarray(0, magic.length).toString()).toBe(magic);
      expect(lastLine((await siteframe(asked)).stderr)).toMatch(/--format \w+ needs --out/);
    }
    await expectFailure(["sql", snapshot(), "SELECT 1 FROM nowhere"], /query failed.*nowhere/);
  });

  it("accept a query that ends in a comment", async () => {
    const ended = await siteframe(["sql", snapshot(), "select 1 -- c", "--format", "csv"]);
    expect(ended).toEqual({ code: 0, stdout: "1\n1\n", stderr: "" });
  });

  it("print no control characters to a terminal", async () => {
    const query = ["sql", snapshot(), "SELECT chr(27) || '[2J' AS screen", "--format", "csv"];
    expect((await siteframe(query)).stdout).toBe("screen\n\u001b[2J\n");
    const terminal = { NODE_OPTIONS: "--import=data:text/javascript,process.stdout.isTTY=true" };
    expect((await siteframe(query, terminal)).stdout).toBe("screen\n\\u001b[2J\n");
  });

  it("run methods of a history at dates in a time zone, and print their SQL", async () => {
    const ask = (...args: readonly string[]) => siteframe(["sql", snapshot(), ...args]);
    const at = ["--semantic-type", "PUNCH_LIST_ITEMS", "--at", "2025-06-30", "--time-zone", "Europe/Berlin"];
    const past = await ask("asOf", ...at, "--format", "csv");
    expect(past).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^id,visible_id,/) });
    const macro = "FROM PUNCH_LIST_ITEMS_AT('2025-06-30')";
    const zoned = ["--time-zone", "Europe/Berlin"];
    expect((await ask(macro, ...zoned, "--format", "csv")).stdout).toBe(past.stdout);
    const printed = await ask("asOf", ...at, "--print");
    expect(printed).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^WITH [\s\S]*;\n$/) });
    expect((await ask(macro, ...zoned, "--print")).stdout).toBe(printed.stdout);
    expect((await ask(printed.stdout, "--format", "csv")).stdout).toBe(past.stdout);
    const out = join(folder, "asked.sql");
    expect(await ask(macro, ...zoned, "--print", "--out", out)).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(out, "utf8")).toBe(printed.stdout);
    expect((await ask("asOf", ...at, "--print", "--dialect", "trino")).stdout).toContain("from_unixtime_nanos");
  });

  it.each([
    [["asOf", "--semantic-type", "TRENCHES"], /asOf needs --at/],
    [
      ["lateEntries"],
      /lateEntries: the features are missing\. Select them with --site, --operation-id, --dataset-id, --semantic-type, for/,
    ],
    [
      ["survival", "--column", "STATUS"],
      /survival\(\): lazy histories do not have this method[\s\S]*snapshot\.history/,
    ],
    [["FROM TRENCHES", "--at", "2025-06-30"], /a query has no option --at[\s\S]*asOf, causeTrees/],
    [["FROM TRENCHES", "--dialect", "trino"], /--dialect trino needs --print/],
    [["FROM TRENCHES", "--print", "--sandbox"], /--print excludes --format/],
    [["FROM TRENCHES_AT('soon')"], /invalid time "soon"[\s\S]*whole day or week in UTC/],
    [["FROM TRENCHES_AT('soon')", "--print", "--dialect", "spark"], /invalid time "soon"/],
    [["FROM TRENCHES", "--time-zone", "Mars"], /Unknown time zone "Mars"/],
  ])("refuse %j with a hint", async (args, message) => {
    const refused = await siteframe(["sql", snapshot(), ...args]);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
  });

  it("run a query in a sandbox", async () => {
    const ask = (query: string, ...args: readonly string[]) =>
      siteframe(["sql", snapshot(), query, "--sandbox", ...args]);
    const out = join(folder, "sandbox.csv");
    const count = "SELECT count(*) AS n FROM sites";
    expect(await ask(count)).toMatchObject({ code: 0, stdout: expect.stringMatching(/n\n4/) });
    expect((await ask(count, "--format", "csv")).stdout).toBe("n\n4\n");
    expect(await ask(count, "--format", "csv", "--out", out)).toMatchObject({ code: 0 });
    expect(readFileSync(out, "utf8")).toBe("n\n4\n");
    for (const query of [`FROM '${out}'`, `COPY (SELECT 1) TO '${out}'`, "LOAD spatial"]) {
      expect(await ask(query, "--format", "csv")).toMatchObject({ code: 1, stdout: "" });
    }
    expect(readFileSync(out, "utf8")).toBe("n\n4\n");
  });

  it.each([["sql", "FROM sites"], ["sql", "FROM sites", "--format", "csv"], ["snapshot list"]])(
    "end without an error if standard output is closed: %s",
    async (command, ...args) => {
      const child = spawn(process.execPath, [program, ...command.split(" "), snapshot(), ...args]);
      child.stdout.destroy();
      expect(await ended(child)).toEqual({ code: 0, stdout: "", stderr: "" });
    },
  );

  it("verify with an exit code", async () => {
    // The sample company has a property key without a definition.
    const pulled = await siteframe(["verify", snapshot()]);
    expect(pulled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 property key has no definition .*\n.* is sound: \d+ files checked\.\n$/),
    });
    const dir = records("incomplete", line(1));
    writeFileSync(join(dir, "layer_features.ndjson"), `${JSON.stringify(feature(1, { site_id: 1, dataset_id: 5 }))}\n`);
    expect(await siteframe(["import", dir, join(folder, "incomplete.snapshot")])).toMatchObject({ code: 0 });
    const incomplete = await siteframe(["verify", join(folder, "incomplete.snapshot")]);
    expect(incomplete).toMatchObject({ code: 2, stdout: expect.stringMatching(/is incomplete: \d+ files checked/) });
    const sites = join(folder, "sites.snapshot");
    expect(await siteframe(["import", records("sites", line(1)), sites])).toMatchObject({ code: 0 });
    const sound = await siteframe(["verify", sites]);
    expect(sound).toMatchObject({ code: 0, stdout: expect.stringMatching(/is sound: \d+ files? checked/) });
    const files = join(snapshot(), "files", "sites");
    writeFileSync(join(files, readdirSync(files)[0] ?? ""), "");
    expect(await siteframe(["snapshot", "verify", snapshot()])).toMatchObject({ code: 1 });
  });
});

describe("siteframe", () => {
  it("prints the contract as OpenAPI", async () => {
    const { code, stdout } = await siteframe(["openapi"]);
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout).paths)).toHaveLength(7);
  });

  it("describes every command in the documentation", async () => {
    const guide = documents.map((path) => readFileSync(path, "utf8")).join();
    const { stdout } = await siteframe(["--help"]);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+)(?: |$)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== "help");
    const some = ["serve", "run", "demo", "pull", "sql", "verify", "ddl", "snapshot", "import", "export", "openapi"];
    expect(commands).toEqual(expect.arrayContaining(some));
    for (const command of commands) expect(guide).toContain(`siteframe ${command}`);
  });
});
