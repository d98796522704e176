import type { AnyNode } from "acorn";

export const isNumber = (node: AnyNode) => node.type === "Literal" && typeof node.value === "number";
export const isUndefined = (node: AnyNode) => node.type === "Identifier" && node.name === "undefined";

/** Arquero writes keys of patterns without quotes. */
export const isName = (key: string) => /^[\w$]+$/.test(key) && !/^\d/.test(key);

/** The name of a member, if it is a literal. */
export function memberKey(node: AnyNode & { type: "MemberExpression" }): string | undefined {
  const { property, computed } = node;
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" && ["string", "number"].includes(typeof property.value)
    ? String(property.value)
    : undefined;
}

/** The names of `a.b.c`. */
export function memberPath(node: AnyNode): readonly string[] | undefined {
  if (node.type === "Identifier") return [node.name];
  if (node.type !== "MemberExpression" || node.computed || node.optional) return undefined;
  const before = memberPath(node.object as AnyNode);
  return before && node.property.type === "Identifier" ? [...before, node.property.name] : undefined;
}

/** The keys of an object pattern with nothing but keys, and their targets. */
export function patternKeys(pattern: AnyNode): readonly (readonly [string, AnyNode])[] | undefined {
  if (pattern.type !== "ObjectPattern") return undefined;
  const keys = pattern.properties.map((property) => {
    if (property.type === "RestElement" || property.computed) return undefined;
    const { key, value } = property;
    if (key.type === "Identifier") return [key.name, value] as const;
    return key.type === "Literal" ? ([String(key.value), value] as const) : undefined;
  });
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** The names that a pattern declares. */
export function patternNames(pattern: AnyNode): readonly string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "AssignmentPattern") return patternNames(pattern.left);
  return pattern.type === "Property" ? patternNames(pattern.value) : children(pattern).flatMap(patternNames);
}

interface Declared {
  readonly name: string;
  readonly start: number;
  /** Whether it is in the function's outermost block. */
  readonly isOuter: boolean;
}

/** Declarations in statements, without those in inner functions. */
export function declaredNames(statements: readonly AnyNode[]): readonly Declared[] {
  const names: Declared[] = [];
  const look = (node: AnyNode, isOuter: boolean): void => {
    const add = (name: string) => names.push({ name, start: node.start, isOuter });
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
      add(node.id?.name ?? "");
      return;
    }
    if (node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression") return;
    if (node.type === "VariableDeclarator") patternNames(node.id).forEach(add);
    if (node.type === "CatchClause" && node.param) patternNames(node.param).forEach(add);
    for (const child of children(node)) look(child, isOuter && node.type === "VariableDeclaration");
  };
  for (const statement of statements) look(statement, true);
  return names;
}

export function children(node: AnyNode): readonly AnyNode[] {
  return Object.entries(node).flatMap(([key, value]): readonly AnyNode[] => {
    // Keys and names of members are not variables.
    if ((key === "key" || key === "property") && !("computed" in node && node.computed)) return [];
    if (key === "label") return [];
    const nodes: readonly unknown[] = Array.isArray(value) ? value : [value];
    return nodes.filter(isNode);
  });
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
