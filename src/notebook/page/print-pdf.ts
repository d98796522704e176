import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { ArgumentError, DependencyError } from "../../core/errors.js";
import { packageFolder } from "../../core/package-folder.js";

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

/** Metadata of a PDF, in addition to the page's title. */
export interface PdfFacts {
  readonly title: string;
  readonly author?: string | undefined;
  readonly subject?: string | undefined;
  readonly keywords?: string | undefined;
  /** Program that made the page. */
  readonly creator: string;
  /** BCP 47 tag. */
  readonly language: string;
}

/**
 * Prints a page with the user's browser: headings become bookmarks, links are kept, and text can be selected.
 *
 * @param page HTML without other files
 * @param path of the PDF to write
 * @throws ArgumentError without a browser, and if it prints nothing
 */
export async function printPdf(page: string, path: string, facts: PdfFacts): Promise<void> {
  const browser = await findBrowser(process.env);
  const folder = await mkdtemp(join(tmpdir(), "siteframe-pdf-"));
  try {
    const source = join(folder, "page.html");
    await writeFile(source, await printedPage(page), { mode: 0o600 });
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
    await appendFile(path, metadataUpdate(await readFile(path, "latin1"), facts));
  } finally {
    await rm(folder, REMOVE_FOLDER);
  }
}

/** Fonts of printed pages, so that text, charts and maps have the same one on every machine. */
const fonts = [
  { weight: "100 500", file: "400Regular/Inter_400Regular.ttf" },
  { weight: "501 900", file: "700Bold/Inter_700Bold.ttf" },
];

/**
 * The page as it is printed: drawings are part of the page instead of images, so that they use its font, and frames, which
 * are not printed, are left out.
 */
async function printedPage(page: string): Promise<string> {
  const faces = await Promise.all(
    fonts.map(async ({ weight, file }) => {
      const font = await readFile(join(packageFolder, "dist", "vendor", "inter", file), "base64");
      return `@font-face { font-family: Inter; font-weight: ${weight}; src: url(data:font/ttf;base64,${font}); }`;
    }),
  );
  const style = `<style>${faces.join("")} :not(pre, code, pre *) { font-family: Inter, sans-serif !important; font-feature-settings: "calt" 0; }</style></head>`;
  return page
    .replace(/<iframe\b[^>]*><\/iframe>/g, "")
    .replace(/<\/?picture>|<source media="\(max-width:\d+px\)"[^>]*>/g, "")
    .replace(/<img\b[^>]*?src="data:image\/svg\+xml;base64,([\w+/=]+)"[^>]*>/g, inlineDrawing)
    .replace("img-src data:", "font-src data:; img-src data:")
    .replace("</head>", () => style);
}

/** An image of a figure or a small map as its drawing, with the size of the image. Other images, of any styles, stay images. */
function inlineDrawing(image: string, base64: string): string {
  const drawing = Buffer.from(base64, "base64").toString("utf8");
  if (!/^<svg\b[^>]*\sclass="siteframe-(?:plot|picture)"/.test(drawing)) return image;
  const [, style = ""] = /style="([^"]*)"/.exec(image) ?? [];
  return drawing.replace("<svg", `<svg style="${style}"`);
}

/**
 * An incremental update (ISO 32000, 7.5.6) that replaces the document's information, in which browsers write their own
 * name, and sets its language.
 *
 * @param pdf bytes of the document, as Latin 1; empty for a document in another form than browsers write
 */
function metadataUpdate(pdf: string, { language, ...facts }: PdfFacts): string {
  const [, start] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(pdf) ?? [];
  const [, trailer = ""] = /trailer\s*<<([\s\S]*?)>>\s*startxref/.exec(pdf.slice(pdf.lastIndexOf("trailer"))) ?? [];
  const reference = (name: string) => new RegExp(`/${name} (\\d+) 0 R`).exec(trailer)?.[1];
  const [root, info] = [reference("Root"), reference("Info")];
  const objectOf = (number: string) =>
    new RegExp(`(?:^|\\n)${number} 0 obj\\s*<<([\\s\\S]*?)>>\\s*endobj`).exec(pdf)?.[1];
  const [catalog, given] = [root && objectOf(root), info && objectOf(info)];
  if (start === undefined || catalog === undefined || given === undefined) return "";
  const dates = given.match(/\/(?:CreationDate|ModDate|Producer)\s*\((?:[^()\\]|\\.)*\)/g) ?? [];
  const entries = Object.entries(facts).flatMap(([name, text]) =>
    text === undefined ? [] : [`/${name.slice(0, 1).toUpperCase()}${name.slice(1)} ${pdfText(text)}`],
  );
  const objects = [
    { number: Number(root), content: `${catalog.replace(/\/Lang\s*\([^)]*\)/, "")}\n/Lang ${pdfText(language)}` },
    { number: Number(info), content: [...entries, ...dates].join("\n") },
  ];
  let [update, table] = ["\n", "xref\n"];
  for (const { number, content } of objects) {
    table += `${number} 1\n${String(pdf.length + update.length).padStart(10, "0")} 00000 n \n`;
    update += `${number} 0 obj\n<<${content}>>\nendobj\n`;
  }
  return `${update}${table}trailer\n<<${trailer}\n/Prev ${start}>>\nstartxref\n${pdf.length + update.length}\n%%EOF\n`;
}

/** A string of a PDF in UTF-16. */
function pdfText(text: string): string {
  return `<${Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("hex")}>`;
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
