import type { PlotChannel, RenderedMark } from "./rendered-mark.js";

/** A channel as a tip tells it: one value for each row, in one of three forms. */
export interface ToldChannel {
  /** `x`, `fill` and so on; `title` is a text of the user's that stands alone. */
  readonly name: string;
  readonly label: string;
  /** Milliseconds since 1970; null where there is none. */
  readonly dates?: readonly (number | null)[];
  readonly numbers?: readonly (number | null)[];
  /** Codes of `texts`. */
  readonly codes?: readonly number[];
  readonly texts?: readonly string[];
}

/** The formats of Plot's option `tip`: false leaves a channel out, a function writes it. */
type Formats = Readonly<Record<string, unknown>>;

const ORDER = ["x", "x1", "y", "y1", "fill", "stroke", "r", "opacity"];
/** Channels that are not for readers. */
const SILENT = new Set(["geometry", "href", "src", "ariaLabel", "scales", "sort", "z", "x2", "y2", "title"]);

/** The channels that are told of a mark, as Plot's own tip chooses them: a title alone, else what has a value. */
export function toldChannels(rendered: RenderedMark): readonly ToldChannel[] {
  const channels = rendered.values.channels ?? {};
  const formats = formatsOf(rendered.mark.tip);
  const { title } = channels;
  if (title) return [told(rendered, "title", "", title.value, formats["title"])];
  const names = [...new Set([...Object.keys(formats), ...ORDER, ...Object.keys(channels)])];
  const found: ToldChannel[] = [];
  const seen = new Set<unknown>();
  for (const name of names) {
    const channel = channels[name];
    if (!channel?.value || SILENT.has(name) || formats[name] === false || formats[name] === null) continue;
    if (channels["geometry"] && (name === "x" || name === "y")) continue;
    // Colours and opacities that the user wrote are no data.
    if (!channel.scale && channel.defaultScale) continue;
    const { value, of } = lengthOf(name, channel, channels);
    const label = labelOf(rendered, name.replace(/1$/, ""), of);
    if (seen.has(value) || found.some((other) => other.label === label && /^[xy]/.test(name) === false)) continue;
    seen.add(value);
    found.push(told(rendered, name.replace(/1$/, ""), label, value, formats[name] ?? formats[name.replace(/1$/, "")]));
  }
  return [...found, ...facets(rendered, formats)];
}

function formatsOf(tip: unknown): Formats {
  const format: unknown = typeof tip === "object" && tip !== null ? Reflect.get(tip, "format") : undefined;
  return typeof format === "object" && format !== null ? (format as Formats) : {};
}

/** Of a stack the length, of a span its further end, of anything else its value. */
function lengthOf(name: string, channel: PlotChannel, channels: Readonly<Record<string, PlotChannel | undefined>>) {
  const far = name === "x1" || name === "y1" ? channels[`${name[0]}2`] : undefined;
  if (!far?.value) return { value: channel.value, of: channel };
  const source = far.source ?? channel.source;
  if (source?.value) return { value: source.value, of: far };
  const { value: from } = channel;
  const isStack =
    far.hint?.length !== undefined || Array.from(from).some((one) => typeof one === "number" && one !== 0);
  if (!isStack || Array.from(from).some((one) => one instanceof Date)) return { value: far.value, of: far };
  return { value: Array.from(far.value, (to, row) => Number(to) - Number(from[row])), of: far };
}

function labelOf({ scales }: RenderedMark, name: string, channel: PlotChannel): string {
  const scale = (channel.scale ? scales[channel.scale] : undefined) ?? scales[name];
  // Plot's arrows say in which direction an axis grows.
  return String(scale?.label ?? channel.label ?? name).replace(/^[←↑→↓\s]+|[←↑→↓\s]+$/g, "");
}

function facets({ index, scales }: RenderedMark, formats: Formats): ToldChannel[] {
  return (["fx", "fy"] as const).flatMap((name) => {
    const facet = index[name];
    if (facet === undefined || !scales[name] || formats[name] === false || formats[name] === null) return [];
    const texts = [String(facet)];
    return [{ name, label: String(scales[name].label ?? name), codes: Array.from(index, () => 0), texts }];
  });
}

function told(
  { index }: RenderedMark,
  name: string,
  label: string,
  all: ArrayLike<unknown>,
  format: unknown,
): ToldChannel {
  const values = Array.from(index, (row) => all[row]);
  const base = { name, label };
  if (typeof format === "function")
    return { ...base, ...coded(values.map((value, place) => String(format(value, place)))) };
  if (values.some((value) => value instanceof Date)) {
    return { ...base, dates: values.map((value) => (value instanceof Date ? value.getTime() : null)) };
  }
  if (values.every((value) => value === null || value === undefined || typeof value === "number")) {
    return { ...base, numbers: values.map((value) => (Number.isFinite(value) ? Number(value) : null)) };
  }
  return { ...base, ...coded(values.map((value) => (value === null || value === undefined ? "" : String(value)))) };
}

function coded(values: readonly string[]): Pick<ToldChannel, "codes" | "texts"> {
  const codes = new Map<string, number>();
  return {
    codes: values.map((text) => {
      const code = codes.get(text) ?? codes.size;
      codes.set(text, code);
      return code;
    }),
    texts: [...codes.keys()],
  };
}
