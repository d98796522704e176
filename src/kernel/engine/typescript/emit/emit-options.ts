/** What a `tsconfig.json` says about how code is written for Node, under the names that it has there. */
export interface EmitOptions {
  readonly jsx?: "react" | "react-jsx" | "preserve";
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  readonly useDefineForClassFields?: boolean;
}

/** The names, at the start of a path, of the functions that JSX is written as calls of where no module gives them. */
export function jsxNames({ jsx, jsxFactory = "React", jsxFragmentFactory = "React" }: EmitOptions): readonly string[] {
  return jsx === "react" ? [jsxFactory, jsxFragmentFactory].map((path) => path.replace(/\..*$/, "")) : [];
}
