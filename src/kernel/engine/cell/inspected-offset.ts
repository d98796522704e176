/**
 * Where to look when a user asks about `offset`: at the name under or just before it, else, inside the brackets of a
 * call, at the name of the function.
 */
export function inspectedOffset(code: string, offset: number): number | undefined {
  const nameBefore = (end: number) => /[\p{ID_Continue}$]$/u.test(code.slice(0, end));
  if (/^[\p{ID_Continue}$]/u.test(code.slice(offset)) || nameBefore(offset)) return nameStart(code, offset);
  let depth = 0;
  for (let index = offset - 1; index >= 0; index--) {
    const character = code[index];
    if (character === ")") depth++;
    else if (character === "(" && depth > 0) depth--;
    else if (character === "(") {
      const end = code.slice(0, index).trimEnd().length;
      return nameBefore(end) ? nameStart(code, end) : undefined;
    }
  }
  return undefined;
}

function nameStart(code: string, end: number): number {
  const name = /[\p{ID_Continue}$]+$/u.exec(code.slice(0, end));
  return name ? name.index : end;
}
