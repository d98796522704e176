import { ArgumentError } from "../../core/errors.js";
import { nearestName } from "../../core/nearest-name.js";
import { parameterNames } from "../../notebook/file/parameter-names.js";
import { readNotebook } from "../../notebook/file/read-notebook.js";

/**
 * An error for each notebook and each of `names` that its cell tagged `parameters` does not declare. A notebook without
 * such a cell takes every name.
 */
export async function checkParameters(
  paths: readonly string[],
  names: readonly string[],
): Promise<readonly ArgumentError[]> {
  if (names.length === 0) return [];
  const known = await Promise.all(paths.map(knownNames));
  return paths.flatMap((path, index) => {
    const declared = known[index];
    if (!declared) return [];
    return names.filter((name) => !declared.includes(name)).map((name) => unknownParameter(path, name, declared));
  });
}

/** A notebook that cannot be read fails when its turn to run comes, and keeps no other from running. */
async function knownNames(path: string): Promise<readonly string[] | undefined> {
  const notebook = await readNotebook(path).catch(() => undefined);
  return notebook && parameterNames(notebook);
}

function unknownParameter(path: string, name: string, known: readonly string[]): ArgumentError {
  const meant = nearestName(name, known);
  const all = known.length === 0 ? "Its cell of parameters declares none." : `There are: ${known.join(", ")}.`;
  return new ArgumentError(`${path}: the notebook has no parameter ${name}.`, {
    hint: `${meant === undefined ? "" : `Did you mean ${meant}? `}${all} Pass --allow-unknown to run it all the same.`,
    facts: { notebook: path, parameter: name, known },
  });
}
