/**
 * `WebAssembly`, which every Node has, and which only the libraries of browsers declare. Where such a library is read
 * too, these are more words for the same.
 */
export const webAssemblyDeclaration = `namespace WebAssembly {
  type Bytes = ArrayBuffer | ArrayBufferView;
  type Imports = Record<string, Record<string, any>>;
  interface ModuleExportDescriptor { kind: "function" | "global" | "memory" | "table" | "tag"; name: string }
  interface ModuleImportDescriptor extends ModuleExportDescriptor { module: string }
  class Module {
    constructor(bytes: Bytes);
    static customSections(module: Module, sectionName: string): ArrayBuffer[];
    static exports(module: Module): ModuleExportDescriptor[];
    static imports(module: Module): ModuleImportDescriptor[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, any>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(delta: number): number;
  }
  class Table {
    constructor(descriptor: { element: "anyfunc" | "externref"; initial: number; maximum?: number }, value?: any);
    readonly length: number;
    get(index: number): any;
    grow(delta: number, value?: any): number;
    set(index: number, value?: any): void;
  }
  class Global<Value = any> {
    constructor(descriptor: { value: "i32" | "i64" | "f32" | "f64" | "externref" | "anyfunc"; mutable?: boolean }, value?: Value);
    value: Value;
    valueOf(): Value;
  }
  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}
  function compile(bytes: Bytes): Promise<Module>;
  function instantiate(bytes: Bytes, imports?: Imports): Promise<{ module: Module; instance: Instance }>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
  function validate(bytes: Bytes): boolean;
}`;
