// Columns of a table: what a cell shows, how it is sorted, found and written. Data are numbers and texts, never code.
(() => {
  const DAY = 86_400_000;
  /** From here on digits behind the point are noise, and `toFixed` begins to write exponents. */
  const HUGE = 1e15;
  const collator = new Intl.Collator("en", { numeric: true });

  /** Numbers as they were: multiples of a unit, distances from the least, or from the one before. */
  const unpack = ({ numbers, unit = 1, from = 0, isDelta }) => {
    let before = 0;
    return numbers.map((number) => {
      if (number === null) return null;
      before = isDelta ? before + number : from + number;
      return before * unit;
    });
  };
  const dateText = (ms, unit) => {
    const length = unit === DAY ? 10 : unit === 60_000 ? 16 : unit === 1000 ? 19 : 23;
    return new Date(ms).toISOString().slice(0, length).replace("T", " ");
  };
  const numberText = (value, decimals) => {
    if (Number.isInteger(value) || Math.abs(value) >= HUGE) return String(value);
    const text = value.toFixed(decimals);
    return Number(text) === 0 ? value.toPrecision(2) : text;
  };

  /** A number or date that stands below or beside bars. */
  const edgeText = ({ summary: { kind, bars, range } }, value) => {
    if (kind === "date") {
      const isByDay = bars.step % DAY === 0 || range[1] - range[0] > 20 * DAY;
      return dateText(value, isByDay ? DAY : bars.step % 60_000 === 0 ? 60_000 : 1);
    }
    if (Math.abs(value) >= HUGE) return value.toExponential(2);
    // No integer is cut: ids that lie close together would read as one.
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
  };

  /** How wide a text is, in letters: capitals take more room. */
  const letters = (text) => text.length + 0.35 * (text.slice(0, 60).match(/[\p{Lu}MWmw@%]/gu)?.length ?? 0);

  /** Words of a filter: a comparison where there is one to make, else a part of what is shown. */
  const comparison = (kind, words) => {
    const [, sign, text] = /^(>=|<=|>|<|=)\s*(\S.*)$/.exec(words) ?? [];
    if (!sign || kind === "text") return undefined;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const least =
      kind === "date" ? Date.parse(isDay || /Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`) : Number(text);
    if (Number.isNaN(least)) return undefined;
    // A day is all of its time.
    const greatest = kind === "date" && isDay ? least + DAY - 1 : least;
    const tests = {
      ">=": (value) => value >= least,
      "<=": (value) => value <= greatest,
      ">": (value) => value > greatest,
      "<": (value) => value < least,
      "=": (value) => value >= least && value <= greatest,
    };
    return tests[sign];
  };

  /** RFC 4180, and no text that a spreadsheet would run as a formula, at whatever sign it splits: as `toCSV()`. */
  const FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?="*[=+\-@＝＋－＠])/g;
  const quoted = (text) => (text === "" || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const guarded = (text) => text.replace(FORMULA, "'");

  /** @param base the same column of the rows that the output holds, for rows that came later */
  const columnOf = (head, data, index, base) => {
    const { kind, texts, codes } = data;
    const numbers = texts ? undefined : unpack(data);
    // Of two units the finer one: no date shows less than the same one would elsewhere in its column.
    const unit = Math.min(data.unit ?? 1, base?.kind === "date" ? base.unit : DAY);
    const odd = new Map(data.odd);
    const isNull = (row) => (texts ? codes[row] < 0 : numbers[row] === null);
    /** What is sorted and compared; NaN where there is none, infinite where it is. */
    const bigs = texts && kind === "number" ? texts.map(Number) : undefined;
    const sizeOf = (row) => {
      if (isNull(row)) return Number(odd.get(row) ?? Number.NaN);
      return numbers ? numbers[row] : bigs?.[codes[row]];
    };
    /** All that the cell holds. */
    const full = (row) => {
      if (isNull(row)) return odd.get(row) ?? "null";
      if (texts) return texts[codes[row]];
      return kind === "date" ? new Date(numbers[row]).toISOString() : String(numbers[row]);
    };
    const text = (row) => {
      if (isNull(row) || texts) return full(row);
      return kind === "date" ? dateText(numbers[row], unit) : numberText(numbers[row], head.decimals);
    };
    const textRanks = () => {
      const compare = bigs ? (a, b) => (BigInt(a) < BigInt(b) ? -1 : 1) : collator.compare;
      const places = new Float64Array(texts.length);
      const order = texts.map((_, code) => code).sort((a, b) => compare(texts[a], texts[b]));
      for (const [place, code] of order.entries()) places[code] = place;
      return Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : places[code]));
    };
    let ranks;
    /** Made once, so that sorting compares numbers; NaN comes last either way. */
    const rank = (row) => {
      ranks ??= texts ? textRanks() : Float64Array.from(numbers, (_, each) => sizeOf(each));
      return ranks[row];
    };
    /** Whether a row has the words in this column. */
    const finder = (words) => {
      const low = words.toLowerCase();
      const compare = comparison(kind, words.trim());
      if (compare) return (row) => compare(sizeOf(row));
      const has = (row) => text(row).toLowerCase().includes(low) || (numbers && full(row).toLowerCase().includes(low));
      if (!texts) return has;
      const hits = texts.map((each) => each.toLowerCase().includes(low));
      return (row) => (isNull(row) ? has(row) : hits[codes[row]]);
    };
    const csv = (row) => {
      if (isNull(row)) return odd.has(row) && kind === "number" ? odd.get(row) : "";
      return kind === "text" ? quoted(guarded(full(row))) : full(row);
    };
    /** Wide enough for most of what is in it, and for what its summary says. */
    const width = () => {
      let widest = letters(head.name) + 2;
      const { length } = codes ?? numbers;
      for (let row = 0; row < Math.min(200, length); row += 1) widest = Math.max(widest, letters(text(row)));
      const { range, nulls, distinct, isMore } = head.summary;
      const edges = range?.map((edge) => edgeText(head, edge)).join("") ?? "";
      const said = range ? edges : distinct === undefined ? "" : `${isMore ? "over " : ""}${distinct} values`;
      const least = Math.max(104, 6.2 * (said.length + (nulls > 0 ? 9 : 0)) + (nulls > 0 ? 36 : 28));
      return Math.round(Math.max(least, Math.min(280, widest * 7.3 + 24)));
    };
    return { ...head, index, kind, unit, isNull, sizeOf, full, text, rank, finder, csv, width: base?.width ?? width() };
  };

  globalThis.tableColumns = {
    columnsOf: (heads, cells, base = []) =>
      heads.map((head, index) => columnOf(head, cells[index], index, base[index])),
    csvName: (name) => quoted(guarded(name)),
    edgeText,
    guarded,
  };
})();
