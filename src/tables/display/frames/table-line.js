// The line from a table to its kernel: messages to the page around the frame, which may pass them on. See decision 9.
(() => {
  const VERSION = 1;
  /** How long a page may take to say that it passes messages on. */
  const MOMENT = 1000;
  /** From here on it is said that the kernel takes its time: it may be running a cell. */
  const SLOW = 400;
  const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
  const isText = (value) => typeof value === "string";
  const isList = (value, length, is) => Array.isArray(value) && value.length === length && value.every(is);

  /** A column of so many rows, as `embedColumn()` makes it. */
  const isColumn = (column, length) => {
    if (typeof column !== "object" || column === null) return false;
    const { kind, numbers, texts, codes, unit = 1, from = 0, isDelta, odd = [] } = column;
    const isOdd = (pair) => isList(pair, 2, (part) => isText(part) || isCount(part)) && isCount(pair[0]);
    if (!Array.isArray(odd) || !odd.every((pair) => isOdd(pair) && isText(pair[1]))) return false;
    if (texts !== undefined) {
      const isCode = (code) => code === -1 || (isCount(code) && code < texts.length);
      return ["text", "number"].includes(kind) && isList(texts, texts?.length, isText) && isList(codes, length, isCode);
    }
    const isFound = isList(numbers, length, (value) => value === null || isNumber(value));
    return ["number", "date"].includes(kind) && isFound && isNumber(unit) && isNumber(from) && isDelta !== false;
  };
  const isAnswer = ({ rows, of, cells, cut }, asked, columns) => {
    if (!isList(rows, 2, isCount) || !isCount(of) || !isCount(cut)) return false;
    if (rows[0] !== Math.min(of, asked[0]) || rows[1] !== Math.min(of, asked[1])) return false;
    return isList(cells, columns, (column) => isColumn(column, rows[1] - rows[0]));
  };

  /**
   * Asks who holds the frame.
   *
   * @param changed is called when somebody answers for the table, or does no longer
   * @param waited is called when an answer takes long, and when it has come
   */
  const tableLine = ({ name, columns, changed, waited }) => {
    /** What was asked and is not answered, by its number. */
    const open = new Map();
    const line = { isOpen: false, state: "unasked", isWaiting: false };
    let count = 0;
    let wait = 0;
    let slow = 0;
    const settle = () => {
      if (open.size > 0) return;
      clearTimeout(slow);
      slow = 0;
      if (!line.isWaiting) return;
      line.isWaiting = false;
      waited();
    };
    const noteSlow = () => {
      line.isWaiting = true;
      waited();
    };
    const post = (type, more) =>
      window.parent.postMessage({ siteframe: "table", version: VERSION, type, table: name, ...more }, "*");
    const turn = (state) => {
      clearTimeout(wait);
      line.isOpen = state === "open";
      line.state = state;
      const left = [...open.values()];
      if (!line.isOpen) open.clear();
      settle();
      changed();
      if (!line.isOpen) for (const { reject } of left) reject(new Error(state));
    };
    const hello = () => {
      post("hello");
      clearTimeout(wait);
      wait = setTimeout(() => turn("silent"), MOMENT);
    };
    /** The rows asked for, by an `EmbeddedColumn` each; fails where nobody gives them. */
    line.ask = (question) =>
      new Promise((resolve, reject) => {
        count += 1;
        open.set(count, { resolve, reject, rows: question.rows });
        slow ||= setTimeout(noteSlow, SLOW);
        post("ask", { id: count, ...question });
      });
    const takers = {
      wake: hello,
      hello: () => {
        clearTimeout(wait);
        if (!line.isOpen) turn("open");
      },
      bye: () => turn("silent"),
      gone: () => turn("gone"),
      refusal: ({ id, text }) => {
        const asked = open.get(id);
        open.delete(id);
        settle();
        asked?.reject(new Error(isText(text) ? text : "the kernel refused"));
      },
      answer: (message) => {
        const asked = open.get(message.id);
        open.delete(message.id);
        settle();
        if (!asked) return;
        if (isAnswer(message, asked.rows, columns)) asked.resolve(message);
        else asked.reject(new Error("an answer that is none"));
      },
    };
    window.addEventListener("message", ({ source, data }) => {
      if (source !== window.parent || typeof data !== "object" || data === null) return;
      const { siteframe, version, type, table = name } = data;
      if (siteframe !== "table" || version !== VERSION || table !== name) return;
      if (Object.hasOwn(takers, type)) takers[type](data);
    });
    return Object.assign(line, { hello });
  };
  globalThis.tableLine = tableLine;
})();
