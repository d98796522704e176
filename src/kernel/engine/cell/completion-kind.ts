/** What is offered: Jupyter's words, as ipykernel has them, and VS Code's where Python has no such thing. */
export type CompletionKind =
  | "class"
  | "enum"
  | "enumMember"
  | "function"
  | "instance"
  | "interface"
  | "keyword"
  | "method"
  | "module"
  | "path"
  | "property"
  | "text"
  | "typeParameter"
  | "<unknown>";
