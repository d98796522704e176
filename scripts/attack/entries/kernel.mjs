// Messages of Jupyter's protocol, and cells.
import fc from "fast-check";
import { startKernel } from "../kernel-target.mjs";
import { damagedBytes, damagedJson, damagedText, hostileText, nested } from "../mutations.mjs";

const code = `interface Row { readonly id: number; name: string }
const rows: Row[] = [{ id: 1, name: "a" }, { id: 2, name: "b" }];
const total = rows.map(({ id }) => id).reduce((sum, id) => sum + id, 0);
class Box<T> { constructor(readonly value: T) {} }
type Deep<T> = T extends readonly (infer U)[] ? Deep<U> : T;
const text = \`total \${total}\`; // comment
text satisfies string`;

const pairs = [
  ["[", "]"],
  ["(", ")"],
  ["{", "}"],
  ["`${", "}`"],
  ["((a) => ", ")"],
  ["<a>", "</a>"],
  ["!", ""],
  ["a?b:", ""],
  ["if(1){", "}"],
  ["-", ""],
  ["x=>", ""],
  ["[...", "]"],
  ["a.b(", ")"],
  ["new ", ""],
  ["Array<", ">"],
  ["{a:", "}"],
  ["1+", ""],
  ["a,", ""],
  ["async()=>{", "}"],
  ["class{x=", "}"],
  ["function f(){", "}"],
  ["/(", ")/"],
  ["'", ""],
  ["typeof ", ""],
  ["await ", ""],
  ["a[", "]"],
  ["else if(1);", ""],
  ["\\u{", "}"],
  ["@", ""],
  ["#", ""],
  ["let a:", ""],
];
export const codes = fc.oneof(
  { weight: 3, arbitrary: damagedText(code) },
  { weight: 3, arbitrary: nested(pairs) },
  { weight: 1, arbitrary: nested(pairs).map((text) => `const a: ${text} = 1`) },
  { weight: 1, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("type A = ", "import ", "export * from ", "// ", "/*", "const a = `", "declare module "),
        hostileText,
      )
      .map((parts) => parts.join("")),
  },
);

const base = {
  silent: false,
  store_history: false,
  user_expressions: { a: "1" },
  allow_stdin: false,
  stop_on_error: false,
};
const contents = {
  execute_request: { code: "1", ...base },
  complete_request: { code, cursor_pos: 100 },
  inspect_request: { code, cursor_pos: 100, detail_level: 0 },
  is_complete_request: { code },
  history_request: {
    hist_access_type: "tail",
    n: 5,
    output: false,
    raw: true,
    session: 0,
    start: 0,
    stop: 1,
    pattern: "*",
    unique: false,
  },
  comm_info_request: { target_name: "siteframe" },
  comm_open: { comm_id: "c1", target_name: "siteframe.lsp", data: { method: "textDocument/hover", params: {}, id: 1 } },
  comm_msg: { comm_id: "c1", data: { id: 1, method: "initialize", params: { capabilities: {} } } },
  comm_close: { comm_id: "c1", data: {} },
  kernel_info_request: {},
  create_subshell_request: {},
  delete_subshell_request: { subshell_id: "s1" },
  list_subshell_request: {},
};
const withCode = new Set(["execute_request", "complete_request", "inspect_request", "is_complete_request"]);

const message = fc.constantFrom(...Object.keys(contents)).chain((type) =>
  fc.record({
    channel: fc.constantFrom("shell", "shell", "shell", "control"),
    type: fc.constant(type),
    content: withCode.has(type)
      ? fc.oneof(
          // Damaged code is not run: it might not end.
          fc
            .tuple(codes, fc.nat(1000))
            .map(([text, cursor_pos]) => JSON.stringify({ ...contents[type], code: text, cursor_pos })),
          damagedJson(contents[type]),
        )
      : damagedJson(contents[type]),
    header: fc.oneof(
      { weight: 4, arbitrary: fc.constant("") },
      damagedJson({ extra: 1 }).map((text) => `,"extra":${text || 1}`),
    ),
    parent: fc.oneof({ weight: 4, arbitrary: fc.constant("{}") }, damagedJson({ msg_id: "x", msg_type: "y" })),
    metadata: fc.oneof({ weight: 4, arbitrary: fc.constant("{}") }, damagedJson({ cellId: "a", deletedCells: [] })),
  }),
);
const raw = fc.record({
  channel: fc.constantFrom("shell", "control"),
  raw: fc.array(damagedBytes(Buffer.from('{"msg_id":"a","msg_type":"execute_request","session":"s"}')).map(String), {
    maxLength: 6,
  }),
});

const deepList = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const deepCode = (open, close) => `${open.repeat(10_000)}${close.repeat(10_000)}`;
const one = (name, type, content, more = {}) => ({
  name,
  input: { messages: [{ type, content: typeof content === "string" ? content : JSON.stringify(content), ...more }] },
});
const run = (text) => ({ ...base, code: text });
const heavyType = `type Big<N extends number, A extends unknown[] = []> = A["length"] extends N ? A : Big<N, [...A, 0]>;
type Pairs<A extends unknown[]> = { [K in keyof A]: { [L in keyof A]: [K, L, A] } };
type U = \`\${0|1|2|3|4|5|6|7|8|9}\${0|1|2|3|4|5|6|7|8|9}\${0|1|2|3|4|5|6|7|8|9}\${0|1|2|3|4|5|6|7|8|9}\`;
let wide: Record<U, Pairs<Big<300>>>; const other: Record<U, Pairs<Big<301>>> = wide!;`;

export async function prepare(folder) {
  return {
    corpus: [
      one("valid", "execute_request", run("1 + 1")),
      ...[
        ["[", "]"],
        ["(", ")"],
        ["{", "}"],
      ].map(([open, close]) => one(`a cell of 10,000 ${open}`, "execute_request", run(deepCode(open, close)))),
      ...["complete_request", "inspect_request"].map((type) =>
        one(`${type} in deep code`, type, { code: deepCode("[", "]"), cursor_pos: 10_000, detail_level: 0 }),
      ),
      one("is_complete_request of deep code", "is_complete_request", { code: deepCode("[", "]") }),
      one("a deep header", "kernel_info_request", "{}", { header: `,"extra":${deepList}` }),
      one("a deep header on the control channel", "kernel_info_request", "{}", {
        header: `,"extra":${deepList}`,
        channel: "control",
      }),
      one("a deep header of a cell", "execute_request", run("1"), { header: `,"extra":${deepList}` }),
      one(
        "deep data of a comm",
        "comm_open",
        `{"comm_id":"c9","target_name":"siteframe.lsp","data":{"x":${deepList}}}`,
      ),
      {
        name: "an interrupt during a type check",
        input: { ...one("", "execute_request", run(heavyType)).input, interrupts: true },
      },
      {
        name: "an interrupt of a loop",
        input: { ...one("", "execute_request", run("while (true) {}")).input, interrupts: true },
      },
      {
        name: "an interrupt of a loop behind await",
        input: { ...one("", "execute_request", run("await 1; for (;;) {}")).input, interrupts: true },
      },
    ],
    arbitrary: fc.record({
      messages: fc.array(fc.oneof({ weight: 9, arbitrary: message }, raw), { minLength: 1, maxLength: 4 }),
    }),
    typed: (input) => JSON.stringify(input),
    start: () => startKernel(folder),
  };
}
