/** A module's namespace: its exports by name. */
export type ModuleNamespace = Readonly<Record<string, unknown>>;

/**
 * The names by which a module's exports can be imported. Node finds only some names of a CommonJS module; type
 * declarations promise all of them, and a `default` that may differ. This gives what the types promise.
 */
export function moduleNames(namespace: ModuleNamespace): ModuleNamespace {
  const module: unknown = namespace["default"];
  if (!isObject(module) || !isCommonJs(namespace, module)) return namespace;
  const ownDefault = module["__esModule"] === true && "default" in module;
  return { ...module, ...namespace, default: ownDefault ? module["default"] : module };
}

/** Whatever Node exports by name from a CommonJS module is also a property of its default export. */
function isCommonJs(namespace: ModuleNamespace, module: Record<string, unknown>): boolean {
  return Object.keys(namespace).every(
    (name) => name === "default" || name === "module.exports" || (name in module && module[name] === namespace[name]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
