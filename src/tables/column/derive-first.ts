import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { printableLine } from "../../core/printable.js";
import { type Edit, isIn, type OpCall, type Position, type RowFunction, type Span } from "./read-row-function.js";
import { isName } from "./syntax-tree.js";

const MOST_CHARACTERS = 200;

/** The text of a function for messages. */
export function shortened({ text }: RowFunction): string {
  const line = printableLine(text);
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}

/** Facts about a function for computing its aggregates before it. */
interface Facts {
  readonly aggregates: readonly OpCall[];
  /** Whether Arquero compiles a part of it. */
  isOwnIn(span: Span): boolean;
}

/** The error for a function of aggregates and of JavaScript that Arquero does not compile, with code that computes the same. */
export function deriveFirst(found: RowFunction, position: Position, facts: Facts): ArgumentError {
  const { verb } = position;
  const code = steps(found, position, facts);
  return new ArgumentError(
    `${verb}(): aggregates are mixed with code that Arquero cannot compile: ${shortened(found)}`,
    {
      hint: `Derive first: ${code ?? "a column for each argument of an aggregate, and for each aggregate."}`,
      facts: { verb, function: found.text, ...(code === undefined ? {} : { code }) },
    },
  );
}

const oneTable = new Set("derive rollup filter groupby dedupe fold spread unroll".split(" "));

/** Verbs to call instead: arguments of aggregates, then aggregates, then the rest. */
function steps(found: RowFunction, position: Position, facts: Facts): string | undefined {
  const { verb, tables, name, window, isOfGroup } = position;
  const isInAggregate = ({ start }: Span) => facts.aggregates.some((call) => isIn(call, start));
  const isRead = found.isExpression && found.parameters.every((span) => facts.isOwnIn(span));
  if (!isRead || !oneTable.has(verb) || found.locals.some(isInAggregate)) return undefined;
  const textOf = (span: Span) => found.edited([], span);
  const [row = "d", dollar = "$"] = found.parameters.map(textOf);
  const isPattern = row.startsWith("{");
  const read = (column: string) => (isPattern ? column : `${row}.${column}`);
  const parameter = (columns: readonly string[], own = row.slice(1, -1).trim()) =>
    isPattern ? `{ ${[...columns, own].filter(Boolean).join(", ")} }` : row;

  const used = new Set(tables[0]?.columnNames());
  const parameters: string[] = [];
  const inputs: Record<string, string> = {};
  const computed: Record<string, string> = {};
  const edits: Edit[] = [];
  const [{ start, end }, ...more] = facts.aggregates as [OpCall, ...OpCall[]];
  const isWhole = start === found.body.start && end === found.body.end && more.length === 0;
  for (const call of facts.aggregates) {
    const values = call.arguments.map((span) => {
      if (facts.isOwnIn(span)) return textOf(span);
      const text = textOf(span);
      if (!found.uses.some(({ start }) => isIn(span, start))) {
        const given = isName(text) ? text : freeName("given", used);
        parameters.push(given === text ? text : `${given}: ${text}`);
        return `${dollar}.${given}`;
      }
      const input = freeName("value", used);
      inputs[input] = `(${parameter([])}) => ${text}`;
      return read(input);
    });
    const names = values.some((value) => value.startsWith(`${dollar}.`)) ? `, ${dollar}` : "";
    const code = `(${parameter(Object.keys(inputs))}${names}) => ${textOf(call.callee)}(${values.join(", ")})`;
    const column = (isWhole ? name : undefined) ?? freeName(call.name, used);
    computed[column] = window ? `aq.rolling(${code}, [${window.frame.join(", ")}])` : code;
    edits.push({ ...call, text: read(column) });
  }

  const steps: string[] = [];
  const add = (method: string, columns: Readonly<Record<string, string>>) => {
    const listed = Object.entries(columns).map(([key, code]) => `${isName(key) ? key : JSON.stringify(key)}: ${code}`);
    if (listed.length > 0) steps.push(`.${method}({ ${listed.join(", ")} })`);
  };
  if (parameters.length > 0) steps.push(`.params({ ${parameters.join(", ")} })`);
  add("derive", inputs);
  add(isOfGroup ? "rollup" : "derive", computed);
  if (isWhole && name !== undefined) return steps.join("");
  const [first] = found.parameters;
  if (first && isPattern) edits.push({ ...first, text: parameter(Object.keys(computed), isOfGroup ? "" : undefined) });
  const text = found.edited(edits);
  const rest = found.isFunction ? (first ? text : text.replace("()", "(d)")) : `(d, $) => ${text}`;
  if (name === undefined) steps.push(`.${verb}(${rest})`);
  else add(isOfGroup ? "derive" : verb, { [name]: rest });
  return steps.join("");
}
