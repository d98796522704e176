// How the modules of src become the files of dist. What Node and bundlers load for `siteframe` are the chunks that rolldown
// makes by default: modules that load together share a file, and `import()` begins a new one.
import { basename, dirname, posix, relative, sep } from "node:path";
import { defineConfig } from "rolldown";

/** What `package.json` exports. */
const library = ["index", "arquero", "plot/index", "notebook/widget/index"];
/** What starts a process or thread, or is loaded there by its path. */
const programs = [
  "cli/main",
  "kernel/kernel-main",
  "kernel/cells/cell-thread",
  "kernel/compiler/connect-compiler",
  "kernel/compiler/compiler-main",
  "kernel/engine/typescript/check/stale-folders",
  "notebook/run/cell-process-main",
  "notebook/run/painter-main",
  "snapshot/sandbox-main",
];
/**
 * What the kernel loads before it can answer, with the modules that it must share with cells. Each step of its start is one
 * CommonJS file, which Node loads sooner than modules, above all in a worker. A thread has its own copy of all that is in it.
 */
const kernelStart = [
  { program: "kernel/start-sockets" },
  { program: "kernel/start-kernel", shared: /\/(cell-thread|connect-compiler)\.js$/ },
  { program: "kernel/protocol/protocol-main" },
];
/** Scripts that are embedded in outputs, in `src/browser`. */
const browser = ["chart/chart", "map/map", "table/near-table", "table/far-table", "selection/selection-line"];

/**
 * Properties of objects that only browser scripts have: no properties of elements, payloads, messages or saved states. Their
 * names are shortened.
 */
const internalProperties = [
  // Tables
  "anchor askRows below beside cellAt cellOf channel copy csv drawn each foot footRow go grid headRow",
  "firstDay greatest here holdIfNarrow input isHere isLocal isMissing isNear isNow isPlain isSorted isWaiting keep kernel",
  "layOut least line localOf lookAt",
  "near note onFailure onRows onScroll onWait openKernelChannel page passing payload picks question ranks restart",
  "scrolled seen select setWidths showCount tellCount trouble update view want",
  // Maps
  "above band boxes canvases centerOf copyIds copyPlace cross decorations drawAll drawBand drawnAt drawOver",
  "drawRows dropBand eachPart extent fit follow forget form give goOn goTo hide inks isForPixels isInView isPinned",
  "isPoint isSeen isSmall kept kinds lonLatOf look magnify measured measureTo most moves offer onChange pane paneOf",
  "pin place pointRadius selectBand selection sharp show showAll shownDay spot stage startBand starts textOf",
  "tool tooltip unpin zoom",
  // Charts
  "box child gap isColoured lines marks onCurve partsAt root selected stops things",
].flatMap((line) => line.split(" "));
/** Those of objects that several scripts share, which need the same short names. */
const sharedProperties = [
  "apartFrom coded filtersOf full heard idsOf index isLinked isOnlyPicked paint pick picked refresh reveal say share",
  "showFilters sizeOf tell tellKernel valuesOf",
].flatMap((line) => line.split(" "));
const mangleProps = {
  include: new RegExp(`^(${[...internalProperties, ...sharedProperties].join("|")})$`),
  cache: Object.fromEntries(sharedProperties.map((name, index) => [name, `$${index}`])),
};

const ownModule = /^(src|[./\0]|[A-Z]:)/;
const resolveTypeScript = { extensionAlias: { ".js": [".ts"] } };

/** A module finds files and packages from its place in `src`, wherever its chunk is. */
const modulePlaces = {
  name: "module-places",
  transform(code, id) {
    if (!code.includes("import.meta.url")) return undefined;
    const place = relative("src", id).replaceAll(sep, "/").replace(/\.ts$/, ".js");
    return code.replaceAll("import.meta.url", `new URL("dist:${place}", import.meta.url).href`);
  },
  renderChunk(code, { fileName }) {
    return code.replaceAll('"dist:', `"${posix.relative(posix.dirname(fileName), "") || "."}/`);
  },
};

export default defineConfig([
  // One file for each module: benches and scripts also load modules that the package does not export.
  {
    input: [...library, ...programs, ...kernelStart.map(({ program }) => program)].map((name) => `src/${name}.ts`),
    platform: "node",
    resolve: resolveTypeScript,
    transform: { target: "es2022" },
    external: (id) => !ownModule.test(id) && !id.startsWith("@oxc-project/runtime"),
    treeshake: false,
    output: { dir: "modules", format: "esm", preserveModules: true, preserveModulesRoot: "src" },
  },
  {
    input: Object.fromEntries([...library, ...programs].map((name) => [name, `src/${name}.ts`])),
    platform: "node",
    resolve: resolveTypeScript,
    transform: { target: "es2022" },
    // Packages stay the installed ones, which users import, too: two copies of Arquero have different classes. The kernel
    // needs import-meta-resolve before its first cell, and that has no state.
    external: (id) => !ownModule.test(id) && !/^(@oxc-project\/runtime|import-meta-resolve$)/.test(id),
    checks: { ineffectiveDynamicImport: false },
    plugins: [modulePlaces],
    output: {
      dir: "dist",
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name].js",
      comments: { legal: false, jsdoc: false, annotation: true },
      // The debugger and messages use names of classes and functions, those of expressions too.
      minify: {
        compress: { keepNames: { function: true, class: true } },
        mangle: { toplevel: false, keepNames: true },
        codegen: { removeWhitespace: false },
      },
    },
  },
  ...kernelStart.map(({ program, shared }) => ({
    input: `src/${program}.ts`,
    platform: "node",
    resolve: resolveTypeScript,
    external: (id) =>
      shared?.test(id) ||
      (!ownModule.test(id) && !/^(import-meta-resolve|js-tokens|magic-string|@jridgewell\/sourcemap-codec)$/.test(id)),
    preserveEntrySignatures: "allow-extension",
    output: {
      dir: `dist/${dirname(program)}`,
      format: "cjs",
      entryFileNames: `${basename(program)}.cjs`,
      chunkFileNames: "[name].cjs",
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    },
  })),
  ...browser.map((name) => ({
    input: `src/browser/${name}.ts`,
    platform: "browser",
    resolve: resolveTypeScript,
    transform: { define: { "globalThis.process": "undefined" } },
    output: {
      dir: "dist/browser",
      format: "iife",
      minify: { compress: true, mangle: true, mangleProps },
      comments: { annotation: false },
    },
  })),
]);
