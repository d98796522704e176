import { join } from "node:path";
import { isPresentFormat, type SnapshotFile } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import type { EncodedRecord } from "../write/encode-record.js";
import type { FeatureIds } from "./journal.js";
import { type PullContext, pathOf } from "./pull-context.js";
import { rowId } from "./record-feed.js";
import { parquet } from "./work-tables.js";

const APPEND_ROWS = 2048;

const schema = schemaOf("layerFeatures");

interface OldPart {
  readonly file: SnapshotFile;
  readonly min: number;
  readonly max: number;
}

type Found = { readonly [Kind in keyof FeatureIds]: number[] };

/** The features of one stretch of ids, compared with those of the state before. */
interface Part extends FeatureIds {
  /** Ids above `after`, up to `upTo`. */
  readonly after: number;
  readonly upTo: number;
  readonly files: readonly SnapshotFile[];
}

/**
 * Takes the features of one site in order of id and writes them in parts. A stretch of ids whose features are the same
 * as before keeps the file that it has.
 */
export class FeatureParts {
  readonly #context: PullContext;
  readonly #site: number | null;
  readonly #settledUs: number;
  readonly #old: readonly OldPart[];
  readonly #isPresentFormat: boolean;
  readonly #parts: Part[] = [];
  /** Rows that came after their stretch was written: the service had moved them. */
  readonly #late: EncodedRecord[] = [];
  #pending: EncodedRecord[] = [];
  #rows = 0;
  #bytes = 0;
  #next = 0;
  #after = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  private constructor(context: PullContext, site: number | null, settledUs: number, old: readonly OldPart[]) {
    this.#context = context;
    this.#site = site;
    this.#settledUs = settledUs;
    this.#old = old;
    this.#isPresentFormat = context.previous !== undefined && isPresentFormat(context.previous);
  }

  /** @param settledUs features edited since then are `settling` */
  static async open(context: PullContext, site: number | null, settledUs: number): Promise<FeatureParts> {
    const files = (context.previous?.files ?? []).filter(
      (file) => file.resource === "layerFeatures" && file.site_id === site,
    );
    const old: OldPart[] = [];
    for (const file of files) {
      const path = join(context.root, file.path);
      const [[min, max] = []] = await context.tables.rows(
        `SELECT min(id)::DOUBLE, max(id)::DOUBLE FROM ${parquet(schema, [path])}`,
      );
      old.push({ file, min: Number(min), max: Number(max) });
    }
    await context.tables.create(schema);
    return new FeatureParts(
      context,
      site,
      settledUs,
      old.sort((a, b) => a.max - b.max),
    );
  }

  async add(rows: readonly EncodedRecord[]): Promise<void> {
    for (const row of rows) {
      const id = Number(rowId(row));
      if (id <= this.#last) {
        this.#late.push(row);
        continue;
      }
      for (let end = this.#end(); id > end; end = this.#end()) await this.#close(end);
      this.#pending.push(row);
      this.#last = id;
      this.#rows += 1;
      this.#bytes += row.text.length;
      if (this.#isFull()) await this.#close(id);
      else if (this.#pending.length >= APPEND_ROWS) await this.#append();
    }
  }

  async finish(): Promise<{ readonly files: readonly SnapshotFile[]; readonly features: FeatureIds }> {
    do await this.#close(this.#end());
    while (this.#after < Number.POSITIVE_INFINITY);
    await this.#placeLate();
    const ids = (name: keyof FeatureIds) => this.#parts.flatMap((part) => part[name]);
    return {
      files: this.#parts.flatMap(({ files }) => files),
      features: {
        added: ids("added"),
        changed: ids("changed"),
        settling: ids("settling"),
        missing: ids("missing"),
      },
    };
  }

  /** Last id of the present stretch. The last old part is open to new features while it has room. */
  #end(): number {
    const part = this.#old[this.#next];
    if (!part) return Number.POSITIVE_INFINITY;
    const { rows, bytes } = part.file;
    const hasRoom = rows < schema.partRows && bytes < schema.partBytes;
    const isOpen = this.#next === this.#old.length - 1 && hasRoom;
    return isOpen ? Number.POSITIVE_INFINITY : part.max;
  }

  /** An old part may grow to twice its size before it is cut. */
  #isFull(): boolean {
    const times = this.#old[this.#next] ? 2 : 1;
    return this.#rows >= times * schema.partRows || this.#bytes >= times * schema.partBytes;
  }

  async #close(upTo: number): Promise<void> {
    await this.#append();
    this.#rows = 0;
    this.#bytes = 0;
    this.#parts.push(await this.#compare(this.#after, upTo));
    this.#after = upTo;
    while (this.#old.slice(this.#next, this.#next + 1).some(({ max }) => max <= upTo)) this.#next += 1;
  }

  async #append(): Promise<void> {
    const rows = this.#pending;
    this.#pending = [];
    if (rows.length > 0) await this.#context.tables.append(schema, rows);
  }

  async #placeLate(): Promise<void> {
    for (const [index, part] of this.#parts.entries()) {
      const late = new Map(
        this.#late.flatMap((row) => {
          const id = Number(rowId(row));
          return id > part.after && id <= part.upTo ? [[id, row] as const] : [];
        }),
      );
      if (late.size === 0) continue;
      const { tables } = this.#context;
      const paths = part.files.map((file) => pathOf(this.#context, file));
      if (paths.length > 0) await tables.load(schema, paths, `id NOT IN (${[...late.keys()].join()})`);
      await tables.append(schema, late.values());
      this.#parts[index] = await this.#compare(part.after, part.upTo);
    }
  }

  /** Compares the rows in the work table with those of the state before and writes them if they differ. */
  async #compare(after: number, upTo: number): Promise<Part> {
    const { tables, root } = this.#context;
    const old = this.#old.filter(({ min, max }) => max > after && min <= upTo);
    if (old.length === 0) return this.#writeNew(after, upTo);
    const paths = old.map(({ file }) => join(root, file.path));
    const stretch = `id > ${bound(after)} AND id <= ${bound(upTo)}`;
    const found: Found = { added: [], changed: [], settling: [], missing: [] };
    const rows = await tables.rows(
      `SELECT coalesce(n.id, o.id)::DOUBLE AS id,
         CASE WHEN o.id IS NULL THEN 'added' WHEN n.id IS NULL THEN 'missing' WHEN n.record <> o.record THEN 'changed'
           WHEN coalesce(epoch_us(n.updated_at) >= ${this.#settledUs}, true) THEN 'settling' END AS found
       FROM ${schema.name} n
       FULL JOIN (SELECT id, record FROM ${parquet(schema, paths)} WHERE ${stretch}) o ON o.id = n.id
       WHERE found IS NOT NULL ORDER BY 1`,
    );
    for (const [id, kind] of rows) found[kind as keyof Found].push(Number(id));
    const [only] = old;
    const isWhole = only && old.length === 1 && only.min > after && only.max <= upTo;
    const isSame = found.added.length + found.changed.length + found.missing.length === 0;
    const isKept = isWhole && isSame && this.#isPresentFormat;
    const files = isKept ? [only.file] : await this.#write();
    await tables.create(schema);
    return { after, upTo, files, ...found };
  }

  /** A stretch of which the state before has nothing. */
  async #writeNew(after: number, upTo: number): Promise<Part> {
    const { tables } = this.#context;
    const added = await tables.numbers(`SELECT id FROM ${schema.name} ORDER BY id`);
    const files = added.length > 0 ? await this.#write() : [];
    await tables.create(schema);
    return { after, upTo, files, added, changed: [], settling: [], missing: [] };
  }

  async #write(): Promise<readonly SnapshotFile[]> {
    const file = await this.#context.tables.write(schema, this.#site);
    return file.rows > 0 ? [file] : [];
  }
}

function bound(id: number): string {
  if (id === Number.POSITIVE_INFINITY) return "9223372036854775807";
  return id === Number.NEGATIVE_INFINITY ? "-9223372036854775808" : String(id);
}
