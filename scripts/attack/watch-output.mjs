// Standard output and standard error of a process.

/** Of the output, only the end is kept. */
const MOST = 100_000;

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {readonly ("stdout" | "stderr")[]} [streams]
 */
export function watchOutput(child, streams = ["stdout", "stderr"]) {
  let text = "";
  for (const stream of streams) {
    child[stream].setEncoding("utf8").on("data", (data) => {
      text = (text + data).slice(-MOST);
    });
  }
  return {
    text: () => text,
    /** What came since the last call. */
    take() {
      const taken = text;
      text = "";
      return taken;
    },
  };
}
