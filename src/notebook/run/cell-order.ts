import type { Node } from "oxc-parser";
import { analyzeCode } from "../../kernel/engine/typescript/analyze/analyze-code.js";
import { importsForExports } from "../../kernel/engine/typescript/analyze/cell-names.js";
import { descendants, patternIdentifiers } from "../../kernel/engine/typescript/analyze/syntax.js";
import type { Notebook } from "../file/notebook.js";

/** A cell that would use another value if the cells ran in the order of the file. */
export interface OrderConflict {
  /** Index of the cell in the notebook. */
  readonly cellIndex: number;
  /** The name whose value differs. */
  readonly name: string;
  /** Index of the cell whose value it used; undefined for none. */
  readonly used: number | undefined;
  /** Index of the cell whose value it would use; undefined for none. */
  readonly inOrder: number | undefined;
}

const NOT_RUN = Number.POSITIVE_INFINITY;

/** Names that a cell uses from other cells, and names that it sets for them. */
interface CellFlow {
  readonly index: number;
  /** When it ran. */
  readonly count: number;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/**
 * Compares the order in which the cells of a stored notebook ran with their order in the file. Only names count: a cell
 * that changes the contents of an object sets no name. Cells that cannot be parsed are left out.
 */
export function orderConflicts({ cells }: Notebook): readonly OrderConflict[] {
  const flows = cells.flatMap((cell, index) => {
    if (cell.cell_type !== "code") return [];
    const flow = cellFlow(cell.source);
    return flow ? [{ index, count: cell.execution_count ?? NOT_RUN, ...flow }] : [];
  });
  const ran = flows.filter(({ count }) => count !== NOT_RUN);
  return ran.flatMap((cell) => {
    return [...cell.reads].flatMap((name) => {
      const used = lastWriter(ran, name, ({ count }) => count, cell.count);
      const inOrder = lastWriter(flows, name, ({ index }) => index, cell.index);
      return used === inOrder ? [] : [{ cellIndex: cell.index, name, used, inOrder }];
    });
  });
}

/** Index of the last cell before `end`, in some order, that sets a name. */
function lastWriter(
  cells: readonly CellFlow[],
  name: string,
  positionOf: (cell: CellFlow) => number,
  end: number,
): number | undefined {
  const writers = cells.filter((cell) => cell.writes.has(name) && positionOf(cell) < end);
  return writers.sort((a, b) => positionOf(a) - positionOf(b)).at(-1)?.index;
}

function cellFlow(source: string): Pick<CellFlow, "reads" | "writes"> | undefined {
  const syntax = analyzeCode(importsForExports(source, "tsx"), "tsx", () => true);
  if (!("program" in syntax)) return undefined;
  const { program, references, scope } = syntax;
  const assigned = new Set<number>();
  const updated = new Set<number>();
  for (const node of descendants(program)) {
    const sets = node.type === "AssignmentExpression" && node.operator === "=" ? assigned : updated;
    for (const { start } of patternIdentifiers(targetOf(node))) sets.add(start);
  }
  const read = references.filter(({ start, name }) => !assigned.has(start) && !scope.names.has(name));
  const written = references.filter(({ start }) => assigned.has(start) || updated.has(start));
  return {
    reads: new Set(read.map(({ name }) => name)),
    writes: new Set([...scope.names, ...written.map(({ name }) => name)]),
  };
}

/** What a node assigns to. */
function targetOf(node: Node): Node | null {
  switch (node.type) {
    case "AssignmentExpression":
      return node.left;
    case "UpdateExpression":
      return node.argument;
    case "ForInStatement":
    case "ForOfStatement":
      return node.left.type === "VariableDeclaration" ? null : node.left;
    default:
      return null;
  }
}
