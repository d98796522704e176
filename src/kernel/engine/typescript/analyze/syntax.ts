import { type ImportDeclaration, type ImportDeclarationSpecifier, type Node, visitorKeys } from "oxc-parser";

/** What a node consists of, in the order of the code. */
export function childNodes(node: Node): readonly Node[] {
  return (visitorKeys[node.type] ?? []).flatMap((key) => {
    const value: unknown = Reflect.get(node, key);
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** A declaration without the `export` around it. */
export function declarationOf(statement: Node): Node {
  return (statement.type === "ExportNamedDeclaration" && statement.declaration) || statement;
}

const typesOnly: ReadonlySet<Node["type"]> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "EmptyStatement",
]);

/** Whether anything is left of a statement when its types are gone. */
export function hasValue(statement: Node): boolean {
  if (typesOnly.has(statement.type)) return false;
  if ("declare" in statement && statement.declare) return false;
  if (statement.type === "ExportNamedDeclaration") {
    return statement.declaration ? hasValue(statement.declaration) : statement.exportKind !== "type";
  }
  if (statement.type === "TSImportEqualsDeclaration") return statement.importKind !== "type";
  if (statement.type !== "TSModuleDeclaration") return true;
  return statement.kind !== "global" && (statement.body?.body.some(hasValue) ?? false);
}

/** What an import takes that is not said to be a type. */
export function importedValues({ importKind, specifiers }: ImportDeclaration): readonly ImportDeclarationSpecifier[] {
  if (importKind === "type") return [];
  return specifiers.filter((each) => each.type !== "ImportSpecifier" || each.importKind !== "type");
}

/** Kinds of TypeScript's own that hold code which runs. */
const runningTypeScript: ReadonlySet<Node["type"]> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSEnumDeclaration",
  "TSModuleDeclaration",
  "TSExportAssignment",
  "TSAbstractMethodDefinition",
  "TSAbstractPropertyDefinition",
  "TSAbstractAccessorProperty",
]);

/** Whether nothing is left of a node when the types are gone. */
export function isType(node: Node): boolean {
  const { type } = node;
  if (type === "TSImportEqualsDeclaration") return node.importKind === "type";
  return type.startsWith("TS") && !runningTypeScript.has(type);
}

/** What a namespace declares where it stands: the `A` of `namespace A.B {}`. A module, and `global`, declare nothing. */
export function moduleName({ id, kind }: Node & { readonly type: "TSModuleDeclaration" }): readonly string[] {
  if (kind === "global") return [];
  let first: { readonly type: string } = id;
  while ("left" in first) first = first.left as { readonly type: string };
  return "name" in first && typeof first.name === "string" ? [first.name] : [];
}

/** The names that a pattern binds, such as `a` and `b` of `{ x: a, ...b }`. */
export function patternNames(pattern: Node | null): readonly string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => patternNames(each.type === "Property" ? each.value : each));
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => patternNames(each));
    case "AssignmentPattern":
      return patternNames(pattern.left);
    case "RestElement":
      return patternNames(pattern.argument);
    case "TSParameterProperty":
      return patternNames(pattern.parameter);
    default:
      return [];
  }
}
