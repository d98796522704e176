import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import type { Provenance } from "../../core/provenance.js";
import { showValue } from "../../core/show-value.js";
import { setTimeZone } from "../../tables/column/column-format.js";
import { withProvenance, withTableDiagnostics } from "../../tables/column/table.js";
import { dateAfterRead } from "../cell/censoring-time.js";
import { withCall } from "../naming-call.js";
import { type EngineSpecification, partTables } from "../questions/define/specification.js";
import type { Engine } from "../questions/engine/engine.js";
import {
  type AskKinds,
  isShort,
  type Question,
  type QuestionData,
  scopeParts,
} from "../questions/engine/query-in-batches.js";
import { valueKinds } from "../questions/plan/value-kinds.js";
import type { DialectName } from "../questions/sql/dialect/dialect.js";
import { dialects } from "../questions/sql/dialect/dialects.js";
import type { Scope } from "../questions/sql/statement-scope.js";
import { timePointText } from "../time/valid-time.js";
import type { LazyAnswer, LazyOptions } from "./lazy-table.js";

/** Rules for the options of every lazy call. */
export const lazyRules: OptionRules<LazyOptions> = { signal: anything };

/** A call of a lazy history. */
interface LazyCall {
  readonly data: QuestionData;
  readonly provenance: Provenance;
  /** Name of the method. */
  readonly name: string;
  /** Its arguments, options last. They are checked when the answer is requested. */
  readonly given: readonly never[];
  /** Receives the diagnostics about the table, once it is loaded. */
  readonly onDiagnostics: (diagnostics: readonly Diagnostic[]) => void;
}

/** The answer of an engine to a question. */
export class EngineAnswer implements LazyAnswer<ColumnTable> {
  readonly #specification: EngineSpecification<readonly never[], object>;
  readonly #call: LazyCall;
  readonly #callName: string;
  readonly #signal: AbortSignal | undefined;

  constructor(specification: EngineSpecification<readonly never[], object>, call: LazyCall) {
    this.#specification = specification;
    this.#call = call;
    this.#callName = `${call.name}()`;
    this.#signal = (call.given[specification.takes.length] as LazyOptions | undefined)?.signal;
  }

  async table(): Promise<ColumnTable> {
    const { data, given, onDiagnostics } = this.#call;
    const { time } = this.#specification;
    try {
      const question = this.#question();
      const table = await question.table(this.#signal);
      const diagnostics = [...dateAfterRead(data, time?.(...given)), ...(question.diagnostics?.() ?? [])];
      withTableDiagnostics(table, diagnostics);
      onDiagnostics(diagnostics);
      const provenance = this.#provenance();
      for (const part of [table, ...partTables(table, this.#specification).values()]) {
        setTimeZone(part, data.timeZone);
        withProvenance(part, provenance);
      }
      return table;
    } catch (error) {
      throw withCall(this.#callName, error);
    }
  }

  async writeTo(target: string, signal = this.#signal): Promise<void> {
    const { data } = this.#call;
    try {
      const question = this.#question();
      refusePersons(data, this.#callName, question);
      await store(data, question, target, signal);
    } catch (error) {
      throw withCall(this.#callName, error);
    }
  }

  async toSQL(name: DialectName | undefined): Promise<string> {
    const { data } = this.#call;
    const { engine, scope } = data;
    try {
      const question = this.#question();
      refusePersons(data, this.#callName, question);
      const dialect = name === undefined || name === engine.dialect.name ? engine.dialect : dialectOf(name);
      const kinds: AskKinds = (columns) => valueKinds(data, columns, this.#signal);
      return await question.statement({ ...scope, dialect }, kinds, this.#signal);
    } catch (error) {
      throw withCall(this.#callName, error);
    }
  }

  /** @throws ArgumentError for invalid arguments */
  #question(): Question<ColumnTable> {
    const { takes, options: rules, engine } = this.#specification;
    const { data, given } = this.#call;
    const options = given[takes.length] as object | undefined;
    checkOptions<object>(this.#callName, options, { ...rules, ...lazyRules });
    const all = takes.map((_, argument) => given[argument] as never);
    return engine(data, ...all, (options ?? {}) as never);
  }

  #provenance(): Provenance {
    const { data, given, provenance } = this.#call;
    const { isAsOf, time } = this.#specification;
    const asOf = isAsOf ? time?.(...given) : undefined;
    return asOf === undefined ? provenance : { ...provenance, asOf: timePointText(asOf, data.timeZone) };
  }
}

/** Factors by which the number of parts grows if a result did not fit into memory. */
const SMALLER = [4, 16];

/** Stores the answer to a question in the engine. */
async function store<T>(
  data: QuestionData,
  question: Question<T>,
  target: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const kinds: AskKinds = (columns) => valueKinds(data, columns, signal);
  const { cellsPerFeature } = data.engine.keepsOrder && question.sortedParts ? question.sortedParts : question;
  const partsAt = (factor: number) =>
    cellsPerFeature === undefined ? [data.scope] : scopeParts(data, cellsPerFeature * factor);
  let parts = partsAt(1);
  for (const factor of SMALLER) {
    try {
      return await storeParts(data.engine, question, { parts, kinds, target, signal });
    } catch (error) {
      const smaller = partsAt(factor);
      if (!isShort(error) || smaller.length <= parts.length) throw error;
      parts = smaller;
    }
  }
  return storeParts(data.engine, question, { parts, kinds, target, signal });
}

interface StoredParts {
  readonly parts: readonly Scope[];
  readonly kinds: AskKinds;
  readonly target: string;
  readonly signal: AbortSignal | undefined;
}

async function storeParts<T>(engine: Engine, question: Question<T>, { parts, kinds, target, signal }: StoredParts) {
  const { sortedParts } = question;
  const [whole] = parts;
  if (question.statements && whole) return engine.store(await question.statements(whole, signal), target, { signal });
  if (parts.length > 1 && engine.keepsOrder && sortedParts) {
    const statements = await inTurn(parts, (scope) => sortedParts.statement(scope, kinds));
    const texts = statements.map(({ sql }) => sql);
    return engine.store(texts, target, { signal, afterwards: statements[0]?.afterwards });
  }
  const statements = await inTurn(parts, (scope) => question.statement(scope, kinds, signal));
  return engine.store(statements.length === 1 ? statements.join("") : statements, target, { signal });
}

/** One after the other, so that the others reuse what the first one determined. */
async function inTurn<T>(parts: readonly Scope[], write: (scope: Scope) => T | Promise<T>): Promise<readonly T[]> {
  const written: T[] = [];
  for (const part of parts) written.push(await write(part));
  return written;
}

function dialectOf(name: string) {
  const dialect = Object.hasOwn(dialects, name) ? dialects[name as DialectName] : undefined;
  if (dialect) return dialect;
  const names = Object.keys(dialects);
  throw new ArgumentError(`toSQL(): unknown dialect ${showValue(name)}.`, {
    hint: nameHint(name, names),
  });
}

/** Only this process can replace users with pseudonyms. */
function refusePersons<T>({ pseudonym }: QuestionData, call: string, { namesPersons }: Question<T>): void {
  if (!pseudonym || !namesPersons) return;
  throw new ArgumentError(`${call}: the result has users, which SQL cannot replace with pseudonyms (redact: true).`, {
    hint: "Await the table instead, or remove `redact`.",
  });
}
