import type { Node } from "oxc-parser";

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
