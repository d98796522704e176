import type {
  ArrowFunctionExpression,
  Class,
  Function as FunctionNode,
  ImportDeclaration,
  Node,
  Program,
  Span,
} from "oxc-parser";
import { type CodeSites, declareStatements, declareVariables, type Reference, Scope, statementNames } from "./scope.js";
import {
  childNodes,
  declarationOf,
  descendants,
  hasValue,
  isType,
  type Language,
  parseModule,
  patternNames,
  type SyntaxProblem,
  unwrapped,
} from "./syntax.js";

class Walker {
  readonly sites: CodeSites = {
    references: [],
    typeNames: new Set(),
    sites: [],
    hasJsx: false,
    hasDecorators: false,
  };
  readonly #called = new WeakSet<Node>();
  readonly #members = new WeakMap<Node, readonly string[]>();

  statements(statements: readonly Node[], scope: Scope): void {
    for (const [node, members] of mergedMembers(statements)) this.#members.set(node, members);
    for (const statement of statements) this.#statement(statement, scope);
  }

  /** A statement in a list, which a semicolon may precede. */
  #statement(statement: Node, scope: Scope): void {
    const expression = statement.type === "ExpressionStatement" ? statement.expression : undefined;
    const before = this.sites.references.length;
    this.#walk(statement, scope);
    const first = this.sites.references[before];
    if (expression && first?.form === "callee" && first.start === statement.start) {
      this.sites.references[before] = { ...first, form: "statement" };
    }
  }

  #walk(node: Node, scope: Scope): void {
    if (isType(node)) {
      addTypeNames(node, this.sites.typeNames);
    } else if (!this.#walkName(node, scope) && !this.#walkScope(node, scope) && !this.#walkSite(node, scope)) {
      this.#walkAll(childNodes(node), scope);
    }
  }

  #walkAll(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) this.#walk(node, scope);
  }

  /** Nodes whose names are references, and nodes whose names are only labels. */
  #walkName(node: Node, scope: Scope): boolean {
    switch (node.type) {
      case "Identifier":
        this.#refer(node, scope, this.#called.has(node) ? "callee" : "plain");
        return true;
      case "BinaryExpression":
      case "LogicalExpression":
      case "MemberExpression":
      case "CallExpression":
      case "TaggedTemplateExpression":
      case "TSNonNullExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        this.#walkChain(node, scope);
        return true;
      case "JSXElement":
      case "JSXFragment":
        this.sites.hasJsx = true;
        return false;
      case "JSXIdentifier":
        if (/^[^a-z]/.test(node.name)) this.#refer(node, scope, "plain");
        return true;
      case "JSXMemberExpression":
        if (node.object.type === "JSXIdentifier") this.#refer(node.object, scope, "plain");
        else this.#walk(node.object, scope);
        return true;
      case "JSXAttribute":
        if (node.value) this.#walk(node.value, scope);
        return true;
      case "Property":
        this.#walkProperty(node, scope);
        return true;
      case "Decorator":
        this.sites.hasDecorators = true;
        this.#walkDecorator(node.expression, scope);
        return true;
      case "LabeledStatement":
        this.#walk(node.body, scope);
        return true;
      case "BreakStatement":
      case "ContinueStatement":
      case "ImportDeclaration":
      case "ExportAllDeclaration":
        return true;
      case "TSImportEqualsDeclaration":
        this.#walkImportEquals(node.moduleReference, scope);
        return true;
      case "ExportNamedDeclaration":
        if (node.declaration) this.#walk(node.declaration, scope);
        return true;
      default:
        return false;
    }
  }

  /** Iterative, since a chain may have more parts than calls can be nested. */
  #walkChain(node: Node, scope: Scope): void {
    const chain: Node[] = [];
    let first = node;
    for (let inner = chained(node); inner; inner = chained(inner)) {
      // The name by itself: `f` of `f()`, and also of `(f as F)()`, but not of `f.call()`.
      if (first.type === "CallExpression" || first.type === "TaggedTemplateExpression")
        this.#called.add(unwrapped(inner));
      chain.push(first);
      first = inner;
    }
    this.#walk(first, scope);
    for (const each of chain.reverse()) {
      if (each.type !== "MemberExpression" || each.computed) this.#walkAll(childNodes(each).slice(1), scope);
    }
  }

  /** The `a` of `import b = a.c`. */
  #walkImportEquals(reference: Node, scope: Scope): void {
    let first = reference;
    while (first.type === "TSQualifiedName") first = first.left;
    if (first.type === "Identifier") this.#refer(first, scope, "plain");
  }

  /** A bracket must not follow `@`. */
  #walkDecorator(expression: Node, scope: Scope): void {
    if (expression.type !== "CallExpression" || expression.callee.type !== "Identifier") {
      this.#walk(expression, scope);
      return;
    }
    this.#refer(expression.callee, scope, "plain");
    this.#walkAll(expression.arguments, scope);
  }

  #walkProperty(node: Node & { readonly type: "Property" }, scope: Scope): void {
    if (node.computed) this.#walk(node.key, scope);
    const { value } = node;
    const name = value.type === "AssignmentPattern" ? value.left : value;
    if (!node.shorthand || name.type !== "Identifier") {
      this.#walk(value, scope);
      return;
    }
    this.#refer(name, scope, "shorthand");
    if (value.type === "AssignmentPattern") this.#walk(value.right, scope);
  }

  #refer({ name, start, end }: Span & { name: string }, scope: Scope, form: Reference["form"]): void {
    const { isLocal, isNested } = scope.find(name);
    if (!isLocal) this.sites.references.push({ name, start, end, form, isNested });
  }

  /** Nodes with a scope. */
  #walkScope(node: Node, scope: Scope): boolean {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        this.#walkFunction(node, scope);
        return true;
      case "ClassDeclaration":
      case "ClassExpression":
        this.#walkClass(node, scope);
        return true;
      case "BlockStatement":
        this.#walkBlock(node.body, scope.block());
        return true;
      case "StaticBlock":
        this.#walkBody(node.body, scope.function());
        return true;
      case "TSModuleDeclaration":
        this.#walkModule(node, scope);
        return true;
      case "TSEnumDeclaration":
        this.#walkEnum(node, scope);
        return true;
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
        this.#walkLoop(node, scope);
        return true;
      case "SwitchStatement": {
        const inner = scope.block();
        this.#walk(node.discriminant, scope);
        const statements = node.cases.flatMap(({ consequent }) => consequent);
        declareStatements(statements, inner);
        for (const { test, consequent } of node.cases) {
          if (test) this.#walk(test, inner);
          this.statements(consequent, inner);
        }
        return true;
      }
      case "CatchClause": {
        const inner = scope.block();
        inner.declare(patternNames(node.param));
        if (node.param) this.#walkAll(patternParts(node.param), inner);
        this.#walk(node.body, inner);
        return true;
      }
      case "VariableDeclaration":
        for (const { id, init } of node.declarations) {
          this.#walkAll(patternParts(id), scope);
          if (init && hasValue(node)) this.#walk(init, scope);
        }
        return true;
      default:
        return false;
    }
  }

  #walkBlock(statements: readonly Node[], scope: Scope): void {
    declareStatements(statements, scope);
    this.statements(statements, scope);
  }

  #walkBody(statements: readonly Node[], scope: Scope): void {
    declareVariables(statements, scope);
    this.#walkBlock(statements, scope);
  }

  #walkFunction(node: FunctionNode | ArrowFunctionExpression, scope: Scope): void {
    const inner = scope.function();
    if (node.id) inner.declare([node.id.name]);
    if (node.type !== "ArrowFunctionExpression") inner.declare(["arguments"]);
    for (const parameter of node.params) inner.declare(patternNames(parameter));
    for (const parameter of node.params) this.#walkAll(patternParts(parameter), inner);
    for (const type of [node.typeParameters, node.returnType]) if (type) this.#walk(type, scope);
    // A default value of a parameter cannot see the variables of the body.
    if (node.body?.type === "BlockStatement") this.#walkBody(node.body.body, inner.block());
    else if (node.body) this.#walk(node.body, inner);
  }

  #walkClass(node: Class, scope: Scope): void {
    const inner = scope.block();
    if (node.id) inner.declare([node.id.name]);
    this.#walkAll(node.decorators, scope);
    if (node.superClass) this.#walk(node.superClass, inner);
    for (const type of [node.typeParameters, node.superTypeArguments]) if (type) this.#walk(type, scope);
    this.#walkAll(node.implements ?? [], scope);
    for (const member of node.body.body) {
      if (member.type === "StaticBlock" || member.type === "TSIndexSignature") {
        this.#walk(member, inner);
        continue;
      }
      if (/AccessorProperty$/.test(member.type)) this.sites.hasDecorators = true;
      this.#walkAll(member.decorators, scope);
      if (member.computed) this.#walk(member.key, inner);
      if ("typeAnnotation" in member && member.typeAnnotation) this.#walk(member.typeAnnotation, inner);
      if (member.value) this.#walk(member.value, inner.function());
    }
  }

  #walkModule(node: Node & { readonly type: "TSModuleDeclaration" }, scope: Scope): void {
    if (!hasValue(node)) addTypeNames(node, this.sites.typeNames);
    else if (node.body) {
      const inner = scope.function();
      inner.declare(this.#members.get(node) ?? []);
      this.#walkBody(node.body.body, inner);
    }
  }

  #walkEnum(node: Node & { readonly type: "TSEnumDeclaration" }, scope: Scope): void {
    const inner = scope.block();
    inner.declare(this.#members.get(node) ?? []);
    for (const { initializer } of node.body.members) if (initializer) this.#walk(initializer, inner);
  }

  #walkLoop(node: Node & { readonly type: "ForStatement" | "ForInStatement" | "ForOfStatement" }, scope: Scope): void {
    const inner = scope.block();
    const head = node.type === "ForStatement" ? node.init : node.left;
    if (head?.type === "VariableDeclaration" && head.kind !== "var") declareStatements([head], inner);
    if (node.type === "ForOfStatement" && node.await) {
      this.sites.sites.push({ kind: "forAwait", start: node.body.start, end: node.body.end });
    }
    this.#walkAll(childNodes(node), inner);
  }

  /** A node that a script writes differently. Its children are analyzed too. */
  #walkSite(node: Node, scope: Scope): boolean {
    const { start, end } = node;
    if (node.type === "AwaitExpression") this.sites.sites.push({ kind: "await", start, end });
    else if (node.type === "ImportExpression") this.sites.sites.push({ kind: "import", start, end });
    else if (node.type === "MetaProperty") {
      if (node.meta.name === "import") this.sites.sites.push({ kind: "importMeta", start, end });
      return true;
    } else return false;
    this.#walkAll(childNodes(node), scope);
    return true;
  }
}

/** The result of analyzing the code of a cell or file, if the code can be parsed. */
export interface CodeSyntax extends CodeSites {
  readonly code: string;
  readonly language: Language;
  readonly program: Program;
  /** Whether it has namespaces that oxc cannot write, since they refer to members of other namespaces. */
  readonly mergesNamespaces: boolean;
  /** Names with a value declared at the top level. */
  readonly scope: Scope;
}

/**
 * Parses code, and finds the parts that must be rewritten to run it as a script.
 *
 * @param isFound whether a package, by its specifier, is available when the code runs
 */
export function analyzeCode(
  code: string,
  language: Language,
  isFound: (specifier: string) => boolean,
): CodeSyntax | readonly SyntaxProblem[] {
  const { program, errors } = parseModule(`cell.${language}`, code);
  if (errors.length > 0) return errors;
  const { body } = program;
  const walker = new Walker();
  walker.statements(body, topScope(body));
  const { sites } = walker;
  for (const statement of importsOfTypesAlone(body, sites.references, isFound)) statement.importKind = "type";
  return { ...sites, code, language, program, mergesNamespaces: mergesNamespaces(body), scope: topScope(body) };
}

/** The first operand of an expression: `a.b` of `a.b()`, `a + b` of `a + b + c`. */
function chained(node: Node): Node | undefined {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return node.left;
    case "MemberExpression":
      return node.object;
    case "CallExpression":
      return node.callee;
    case "TaggedTemplateExpression":
      return node.tag;
    case "TSNonNullExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return node.expression;
    default:
      return undefined;
  }
}

/** Adds every name in a type. Extra names are harmless, so scopes of types are ignored. */
function addTypeNames(node: Node, names: Set<string>): void {
  for (const each of descendants(node)) if (each.type === "Identifier") names.add(each.name);
}

/**
 * For each namespace and enum among statements, the names visible in it, including exports of others with the same
 * name.
 */
function mergedMembers(statements: readonly Node[]): ReadonlyMap<Node, readonly string[]> {
  const all = namespacesIn(statements);
  const byName = new Map<string, string[]>();
  for (const { name, node } of all) byName.set(name, [...(byName.get(name) ?? []), ...membersOf(node)]);
  return new Map(all.map(({ node, name }) => [node, byName.get(name) as string[]]));
}

/** Whether a namespace shares its name with another namespace or enum, whose members it can use. */
function mergesNamespaces(statements: readonly Node[]): boolean {
  const all = namespacesIn(statements);
  const names = new Set(all.map(({ name }) => name));
  return names.size < all.length && all.some(({ node }) => node.type === "TSModuleDeclaration");
}

function namespacesIn(statements: readonly Node[]) {
  return statements.map(declarationOf).flatMap((node) => {
    if (node.type !== "TSModuleDeclaration" && node.type !== "TSEnumDeclaration") return [];
    return node.id.type === "Identifier" ? [{ node, name: node.id.name }] : [];
  });
}

function membersOf(node: Node & { readonly type: "TSModuleDeclaration" | "TSEnumDeclaration" }): readonly string[] {
  if (node.type === "TSEnumDeclaration") {
    return node.body.members.flatMap(({ id }) => ("name" in id ? id.name : "value" in id ? String(id.value) : []));
  }
  return (node.body?.body ?? []).flatMap((each) =>
    each.type === "ExportNamedDeclaration" ? statementNames(each) : [],
  );
}

/** Types, decorators, default values and computed keys in a pattern: every part that does not bind a name. */
function patternParts(pattern: Node): readonly Node[] {
  return [
    ...("typeAnnotation" in pattern && pattern.typeAnnotation ? [pattern.typeAnnotation] : []),
    ...("decorators" in pattern && pattern.decorators ? pattern.decorators : []),
    ...innerParts(pattern),
  ];
}

function innerParts(pattern: Node): readonly Node[] {
  switch (pattern.type) {
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => [
        ...(each.type === "Property" && each.computed ? [each.key] : []),
        ...patternParts(each.type === "Property" ? each.value : each.argument),
      ]);
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each ? patternParts(each) : []));
    case "AssignmentPattern":
      return [...patternParts(pattern.left), pattern.right];
    case "RestElement":
      return patternParts(pattern.argument);
    case "TSParameterProperty":
      return patternParts(pattern.parameter);
    default:
      return [];
  }
}

function topScope(body: readonly Node[]): Scope {
  const scope = new Scope();
  declareVariables(body, scope);
  declareStatements(body, scope);
  return scope;
}

/**
 * Imports of packages with types and no code, as many of `@types` are: the packages cannot be found when the code runs,
 * and no value of them is used. Such an import is a type import without the keyword.
 *
 * @param isFound whether a package, by its specifier, is available when the code runs
 */
function importsOfTypesAlone(
  body: Program["body"],
  references: readonly Reference[],
  isFound: (specifier: string) => boolean,
): readonly ImportDeclaration[] {
  const used = new Set(references.map(({ name }) => name));
  const isAlone = (statement: ImportDeclaration) =>
    statement.specifiers.length > 0 &&
    statement.importKind !== "type" &&
    !statement.specifiers.some(({ local }) => used.has(local.name)) &&
    /^[^./]/.test(statement.source.value) &&
    !isFound(statement.source.value);
  return body.filter((statement) => statement.type === "ImportDeclaration").filter(isAlone);
}
