import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError, DependencyError } from "../../core/errors.js";

/** Timeout of a page, which usually takes seconds. */
const LONGEST_MS = 180_000;
/** Virtual time in which frames draw themselves. */
const DRAWING_MS = 10_000;

const commands = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
  "microsoft-edge-stable",
  "brave-browser",
];

const macPrograms = ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

const windowsPrograms = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];

/**
 * Prints a page with the user's browser: headings become bookmarks, links are kept, and text can be selected.
 *
 * @param page HTML without other files
 * @param path of the PDF to write
 * @throws ArgumentError without a browser, and if it prints nothing
 */
export async function printPdf(page: string, path: string): Promise<void> {
  const browser = await findBrowser(process.env);
  const folder = await mkdtemp(join(tmpdir(), "siteframe-pdf-"));
  try {
    const source = join(folder, "page.html");
    await writeFile(source, page, { mode: 0o600 });
    const printed = await run(browser, [
      "--headless=new",
      "--disable-gpu",
      "--no-first-run",
      "--disable-extensions",
      // Chromium refuses to run as root with its sandbox; the page only has our script, and loads nothing.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      `--user-data-dir=${join(folder, "profile")}`,
      `--virtual-time-budget=${DRAWING_MS}`,
      "--run-all-compositor-stages-before-draw",
      "--no-pdf-header-footer",
      "--generate-pdf-document-outline",
      `--print-to-pdf=${path}`,
      pathToFileURL(source).href,
    ]);
    const made = await stat(path).catch(() => undefined);
    if (!made || made.size === 0) {
      throw new ArgumentError(`${browser} did not write a PDF.`, {
        hint: `Output of the browser: ${printed.trim().split("\n").at(-1) || "none"}`,
        facts: { browser },
      });
    }
  } finally {
    await rm(folder, REMOVE_FOLDER);
  }
}

/** Runs the browser and returns its log. */
async function run(browser: string, args: readonly string[]): Promise<string> {
  const child = spawn(browser, args, {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: LONGEST_MS,
    killSignal: "SIGKILL",
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed = (printed + text).slice(-4000);
  });
  await once(child, "close");
  return printed;
}

/**
 * Returns the path of the browser for printing.
 *
 * @throws ArgumentError without one, with the locations that were searched
 */
export async function findBrowser(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const chosen = env["SITEFRAME_BROWSER"];
  const candidates = chosen
    ? [chosen]
    : process.platform === "darwin"
      ? macPrograms
      : process.platform === "win32"
        ? [env["PROGRAMFILES"], env["PROGRAMFILES(X86)"], env["LOCALAPPDATA"]].flatMap((folder) =>
            folder ? windowsPrograms.map((program) => join(folder, program)) : [],
          )
        : (env["PATH"]?.split(delimiter) ?? []).flatMap((folder) => commands.map((command) => join(folder, command)));
  for (const path of candidates) if ((await stat(path).catch(() => undefined))?.isFile()) return path;
  throw new DependencyError(
    chosen ? `SITEFRAME_BROWSER: file not found: ${chosen}.` : "PDF export needs a browser, and none was found.",
    {
      hint: "Install Chromium, Google Chrome or Microsoft Edge, or set SITEFRAME_BROWSER to its path. Or use --html, which needs no browser.",
      facts: { looked: chosen ? [chosen] : process.platform === "linux" ? commands : candidates },
    },
  );
}
