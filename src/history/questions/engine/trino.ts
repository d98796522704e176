import { setMaxListeners } from "node:events";
import { BodyBuffers } from "../../../client/http/body-buffers.js";
import { poolTransport } from "../../../client/http/transport.js";
import { systemEffects } from "../../../client/progress/effects.js";
import { ArgumentError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";
import type { Dialect } from "../sql/dialect/dialect.js";
import { trinoDialect } from "../sql/dialect/trino-dialect.js";
import type { Engine } from "./engine.js";
import { resolveTrinoOptions, type TrinoOptions } from "./trino-options.js";
import { trinoQuery } from "./trino-query.js";
import { resolveTrinoServer } from "./trino-server.js";
import type { TrinoService } from "./trino-service.js";
import { storeInTrino } from "./trino-store.js";

/**
 * Trino, and what speaks its protocol, as the engine that answers questions: on one machine or on many. The tables of a
 * snapshot have to be declared there once: `siteframe ddl trino <folder>`.
 *
 * What it stores are tables: a name, `schema.name` or `catalog.schema.name`.
 *
 * @throws ArgumentError if the address, the key or an option cannot be used. Nothing is sent before the first question
 */
export function trino(options: TrinoOptions): Engine {
  const resolved = resolveTrinoOptions(options);
  const server = resolveTrinoServer(options, resolved);
  const transport = poolTransport(server.origin);
  const life = new AbortController();
  // Every query under way listens.
  setMaxListeners(0, life.signal);
  const service: TrinoService = {
    server,
    options: resolved,
    transport,
    bodies: new BodyBuffers(),
    effects: systemEffects,
    life: life.signal,
  };
  return {
    name: server.name,
    dialect: declaredIn(resolved.catalog, resolved.schema),
    query: (sql, { signal } = {}) => trinoQuery(service, sql, { signal }),
    store: (sql, target, { signal } = {}) =>
      storeInTrino(service, typeof sql === "string" ? [sql] : sql, tableName(target), signal),
    async close() {
      life.abort(new ArgumentError(`${server.name} was closed.`, { hint: "Open it again with trino()." }));
      await transport.close();
    },
  };
}

/** Names are quoted, so that they can hold anything and end no statement. */
function declaredIn(catalog: string, schema: string): Dialect {
  return { ...trinoDialect, table: (name) => [catalog, schema, name].map(trinoDialect.identifier).join(".") };
}

function tableName(target: string): string {
  const parts = target.split(".");
  if (parts.length <= 3 && parts.every((part) => part !== "")) return parts.map(trinoDialect.identifier).join(".");
  throw new ArgumentError(`${showValue(target)} is not the name of a table.`, {
    hint: "Pass name, schema.name or catalog.schema.name.",
  });
}
