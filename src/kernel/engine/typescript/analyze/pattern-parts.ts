import type { Node } from "oxc-parser";

/** Types, decorators, default values and computed keys in a pattern: all that does not bind a name. */
export function patternParts(pattern: Node): readonly Node[] {
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
