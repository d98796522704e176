import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type ts from "@tslab/typescript-for-tslab";
import { packageFolder } from "../../../core/package-folder.js";
import { withAwaitHint } from "../cell/cell-errors.js";
import { ancestors } from "../cell/local-files.js";
import { type Preload, preloadedNames } from "../cell/preloaded-names.js";
import { checkAfterAwait, constantOf, importsToCalls, loadCall, type ResultPass } from "./cell-transforms.js";
import type { CommentReader } from "./comment-reader.js";
import type { TypeScript } from "./load-tslab.js";
import { createTypeResolver, nameFarFiles, type WatchedFiles } from "./type-resolver.js";

/** Compilation settings for cells. */
export interface CellProject {
  readonly directory: string;
  /** Options of the notebook's `tsconfig.json`. */
  readonly options: ts.CompilerOptions;
  readonly files: WatchedFiles;
  readonly comments: CommentReader;
  readonly result: ResultPass;
}

/**
 * The TypeScript compiler that tslab's converter uses. It differs in six ways: the working directory is the notebook's;
 * options of its `tsconfig.json` apply; top-level await is plain TypeScript; packages are resolved by their `exports`;
 * only the cell itself is checked and emitted (`ModuleLoader` compiles local modules on import); and cells stay ES
 * modules, which `withoutModule` turns into scripts unless `ResultPass` has left no module syntax.
 */
export function cellTypeScript(ts: TypeScript, project: CellProject): object {
  return {
    ...ts,
    sys: cellSystem(ts, project),
    createWatchCompilerHost: createHost(ts, project),
    getPreEmitDiagnosticsOfFiles: (program: ts.Program, among: readonly ts.SourceFile[]) =>
      cellDiagnostics(ts, program, among),
    // Requested only for Siteframe's own declarations, which are correct.
    getPreEmitDiagnostics: () => [],
    transpileModule: (input: string) => ({ outputText: input }),
  };
}

function cellSystem(ts: TypeScript, { directory, files, comments }: CellProject): ts.System {
  const watchFile: ts.System["watchFile"] = (path, onChange) => {
    comments.watch(path, onChange);
    return files.watch(path, onChange);
  };
  const readFile: ts.System["readFile"] = (path, encoding) => comments.readFile(path, encoding);
  const system: ts.System = Object.create(ts.sys);
  return Object.assign(system, { getCurrentDirectory: () => directory, watchFile, readFile });
}

type CellProgram = ts.EmitAndSemanticDiagnosticsBuilderProgram;

type HostOfOptions = (
  rootFiles: readonly string[],
  options: ts.CompilerOptions,
  system: ts.System,
  createProgram: null,
  reportDiagnostic: ts.DiagnosticReporter,
  reportWatchStatus: ts.WatchStatusReporter,
) => ts.WatchCompilerHostOfFilesAndCompilerOptions<CellProgram>;

function createHost(ts: TypeScript, { directory, options: projectOptions, files, result }: CellProject): HostOfOptions {
  const createProgram: ts.CreateProgram<CellProgram> = (...program) => {
    const builder = ts.createEmitAndSemanticDiagnosticsBuilderProgram(...program);
    nameFarFiles(directory, builder.getSourceFiles());
    files.settled();
    return cellProgram(ts, builder, result);
  };
  return (rootFiles, options, system, _createProgram, reportDiagnostic, reportWatchStatus) => {
    const host = ts.createWatchCompilerHost(
      [...rootFiles],
      { ...options, ...cellOptions(options, projectOptions) },
      system,
      createProgram,
      reportDiagnostic,
      reportWatchStatus,
    );
    const resolveType = createTypeResolver(ts, host);
    host.resolveModuleNameLiterals = (literals, from, _redirected, compilerOptions) => {
      const resolve = (specifier: string) => resolveType(specifier, from, compilerOptions);
      const specifiers = literals.map(({ text }) => text);
      if (!from.includes("/node_modules/")) files.awaitImports(from, specifiers, resolve);
      return specifiers.map(resolve);
    };
    host.hasInvalidatedResolutions = (path) => files.mayHaveMoved(path);
    host.watchDirectory = () => ({ close: () => undefined });
    return host;
  };
}

function cellOptions({ typeRoots = [] }: ts.CompilerOptions, options: ts.CompilerOptions): ts.CompilerOptions {
  return {
    lib: ["lib.es2023.d.ts", "lib.esnext.intl.d.ts"],
    experimentalDecorators: false,
    ...options,
    types: [...new Set(["node", ...(options.types ?? [])])],
    typeRoots: [...(options.typeRoots ?? typeRoots), ...nodeTypeRoots()],
    allowImportingTsExtensions: true,
    disableTopLevelAwait: false,
    checkJs: false,
    inlineSourceMap: true,
  };
}

function nodeTypeRoots(): string[] {
  return ancestors(packageFolder)
    .map((folder) => join(folder, "node_modules", "@types"))
    .filter((root) => existsSync(join(root, "node")));
}

function cellProgram(ts: TypeScript, builder: CellProgram, result: ResultPass): CellProgram {
  for (const file of builder.getSourceFiles()) forgetOriginal(file);
  const emit = builder.emit.bind(builder);
  builder.getAllDependencies = (file) => [file.fileName];
  builder.emit = (file, write, token, onlyDeclarations, transformers = {}) =>
    emit(
      file,
      write,
      token,
      onlyDeclarations,
      cellTransformers(ts, builder.getProgram().getTypeChecker(), result, transformers),
    );
  return builder;
}

/**
 * The parser reads a file with `await (…)` at its top level twice and keeps the first reading as the `original`, which
 * has no path. The compiler would resolve names of types from there, and fail.
 */
function forgetOriginal(file: ts.SourceFile): void {
  if ("original" in file && file.original !== undefined) Object.assign(file, { original: undefined });
}

function cellTransformers(
  ts: TypeScript,
  checker: ts.TypeChecker,
  result: ResultPass,
  { after = [], afterDeclarations = [], ...others }: ts.CustomTransformers,
): ts.CustomTransformers {
  const preloads = importPreloads(ts, checker);
  return {
    ...others,
    before: [preloads.find, earlierNames(ts, checker)],
    after: [...after, result.transform, importsToCalls(ts), shareVariables(ts), preloads.load, checkAfterAwait(ts)],
    afterDeclarations: [keepDeclarations, ...afterDeclarations],
  };
}

/**
 * The compiler writes no declarations at all if one type cannot be named. The other declarations are still useful for
 * the next cell.
 */
function keepDeclarations(context: ts.TransformationContext): ts.CustomTransformer {
  Object.assign(context, { addDiagnostic: () => undefined });
  return { transformSourceFile: (file) => file, transformBundle: (bundle) => bundle };
}

/** A local module may be anywhere; no file is written next to it. */
const outsideRootDir = 6059;

/**
 * Declarations are only for the next cell, so their errors are hidden from users. Details are merged into the message:
 * tslab would report them as separate errors at the same position.
 */
function cellDiagnostics(ts: TypeScript, program: ts.Program, files: readonly ts.SourceFile[]): ts.Diagnostic[] {
  return files
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .filter(({ code }) => code !== outsideRootDir)
    .map((each) => ({ ...each, messageText: messageOf(ts, each) }));
}

function messageOf(ts: TypeScript, { messageText, relatedInformation = [] }: ts.Diagnostic): string {
  const text = (each: string | ts.DiagnosticMessageChain) => ts.flattenDiagnosticMessageText(each, "\n");
  return withAwaitHint(
    text(messageText),
    relatedInformation.map((each) => text(each.messageText)),
  );
}

/**
 * Prepares object literals and patterns for tslab, which afterwards replaces each identifier of an earlier cell by a
 * property of `exports`. tslab does not replace the variable in `{ x }`, and mistakes the property name in `{ x: y } =
 * point` for a variable.
 */
function earlierNames(ts: TypeScript, checker: ts.TypeChecker): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  const isEarlier = (node: ts.ShorthandPropertyAssignment) =>
    checker
      .getShorthandAssignmentValueSymbol(node)
      ?.declarations?.some((declaration) => basename(declaration.getSourceFile().fileName) === "__prev__.d.ts");

  return (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const inner = ts.visitEachChild(node, visit, context);
      if (ts.isShorthandPropertyAssignment(node) && isEarlier(node)) {
        return factory.createPropertyAssignment(factory.createStringLiteral(node.name.text), earlierValue(ts, node));
      }
      if (ts.isPropertyAssignment(inner) && ts.isIdentifier(inner.name)) {
        return factory.updatePropertyAssignment(inner, factory.createStringLiteral(inner.name.text), inner.initializer);
      }
      if (ts.isBindingElement(inner) && inner.propertyName && ts.isIdentifier(inner.propertyName)) {
        const key = factory.createStringLiteral(inner.propertyName.text);
        return factory.updateBindingElement(inner, inner.dotDotDotToken, key, inner.name, inner.initializer);
      }
      return inner;
    };
    return ts.visitEachChild(file, visit, context);
  };
}

function earlierValue(ts: TypeScript, node: ts.ShorthandPropertyAssignment): ts.Expression {
  const { factory } = ts;
  const value = factory.createPropertyAccessExpression(factory.createIdentifier("exports"), node.name.text);
  const fallback = node.objectAssignmentInitializer;
  return fallback ? factory.createAssignment(value, fallback) : value;
}

/**
 * Exports each variable at its declaration. tslab exports them in a list at the end, which makes a copy: functions of
 * this cell would not see assignments in later cells.
 */
function shareVariables(ts: TypeScript): ts.TransformerFactory<ts.SourceFile> {
  const { factory } = ts;
  return () => (file) => {
    const shared = new Set<string>();
    const statements = file.statements.map((statement) => {
      if (!ts.isVariableStatement(statement)) return statement;
      for (const { name } of statement.declarationList.declarations) addNames(ts, name, shared);
      const exported = factory.createModifier(ts.SyntaxKind.ExportKeyword);
      return factory.updateVariableStatement(statement, [exported], statement.declarationList);
    });
    return factory.updateSourceFile(
      file,
      statements.map((statement) => (ts.isExportDeclaration(statement) ? without(ts, statement, shared) : statement)),
    );
  };
}

function addNames(ts: TypeScript, name: ts.BindingName, names: Set<string>): void {
  if (ts.isIdentifier(name)) {
    names.add(name.text);
    return;
  }
  for (const element of name.elements) {
    if (ts.isBindingElement(element)) addNames(ts, element.name, names);
  }
}

function without(ts: TypeScript, declaration: ts.ExportDeclaration, shared: ReadonlySet<string>): ts.ExportDeclaration {
  const { factory } = ts;
  const clause = declaration.exportClause;
  if (!clause || !ts.isNamedExports(clause)) return declaration;
  const left = clause.elements.filter((element) => !shared.has(element.name.text));
  return factory.updateExportDeclaration(
    declaration,
    declaration.modifiers,
    declaration.isTypeOnly,
    factory.updateNamedExports(clause, left),
    declaration.moduleSpecifier,
    declaration.assertClause,
  );
}

/** Two passes over a cell: the first, on TypeScript, finds the preloaded names that it uses; the second imports them. */
interface PreloadPasses {
  readonly find: ts.TransformerFactory<ts.SourceFile>;
  readonly load: ts.TransformerFactory<ts.SourceFile>;
}

/** A name that the user declared is a different symbol, so it stays unchanged. */
function importPreloads(ts: TypeScript, checker: ts.TypeChecker): PreloadPasses {
  const used = new Set<string>();
  const isPreloaded = (node: ts.Identifier) =>
    Object.hasOwn(preloadedNames, node.text) &&
    checker
      .getSymbolAtLocation(node)
      ?.declarations?.some((declaration) => basename(declaration.getSourceFile().fileName).startsWith("__siteframe__"));
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isPreloaded(node)) used.add(node.text);
    if (ts.isShorthandPropertyAssignment(node) && Object.hasOwn(preloadedNames, node.name.text))
      used.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  return {
    find: () => (file) => {
      visit(file);
      return file;
    },
    load: () => (file) => {
      const imports = [...used].flatMap((name) => {
        return declares(ts, file, name) ? [] : [importOf(ts, name, preloadedNames[name] as Preload)];
      });
      return imports.length === 0 ? file : ts.factory.updateSourceFile(file, [...imports, ...file.statements]);
    },
  };
}

function importOf(ts: TypeScript, name: string, preload: Preload): ts.Statement {
  const { factory } = ts;
  const binding =
    preload.export === undefined
      ? factory.createIdentifier(name)
      : factory.createObjectBindingPattern([factory.createBindingElement(undefined, preload.export, name)]);
  return constantOf(ts, [[binding, loadCall(ts, [factory.createStringLiteral(preload.module)])]]);
}

/**
 * A cell may use a preloaded name in one scope and declare it in another. At its top level the name has one meaning.
 */
function declares(ts: TypeScript, file: ts.SourceFile, name: string): boolean {
  return file.statements.some(
    (statement) =>
      ts.isVariableStatement(statement) &&
      statement.declarationList.declarations.some(
        (declaration) => ts.isIdentifier(declaration.name) && declaration.name.text === name,
      ),
  );
}
