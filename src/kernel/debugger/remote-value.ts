/** A value of the thread of the cells, as its inspector describes it. */
export interface RemoteValue {
  readonly type: string;
  readonly subtype?: string;
  readonly className?: string;
  /** Of primitive values. */
  readonly value?: unknown;
  /** Of those that JSON has not: `NaN`, `1n`. */
  readonly unserializableValue?: string;
  readonly description?: string;
  readonly objectId?: string;
  readonly preview?: Preview;
}

interface Preview {
  readonly overflow: boolean;
  readonly properties: readonly {
    readonly name: string;
    readonly type: string;
    readonly subtype?: string;
    readonly value?: string;
  }[];
}

const longest = 500;

/** Whether what is in a value tells more than of which class it is. */
export function hasPreview({ preview, className, subtype }: RemoteValue): boolean {
  return preview !== undefined && (className === "Object" || subtype === "array");
}

/** A value in a line. */
export function remoteText(remote: RemoteValue): string {
  const { type, subtype, value, unserializableValue, description, preview, className } = remote;
  if (type === "string") return cut(JSON.stringify(value));
  if (unserializableValue !== undefined) return unserializableValue;
  if (type === "undefined" || subtype === "null") return subtype ?? type;
  if (type !== "object") return cut((description ?? String(value)).split("\n")[0] ?? "");
  if (preview && hasPreview(remote)) return cut(previewText(preview, subtype === "array"));
  return cut((description ?? className ?? "object").split("\n")[0] ?? "");
}

function previewText({ properties, overflow }: Preview, isList: boolean): string {
  const shown = properties.map(({ name, type, value = type }) => {
    const text = type === "string" ? JSON.stringify(value) : value;
    return isList ? text : `${name}: ${text}`;
  });
  const list = [...shown, ...(overflow ? ["…"] : [])].join(", ");
  return isList ? `[${list}]` : `{${list}}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
