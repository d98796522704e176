import type { Field, FieldType } from "./form/field.js";
import type { Resource } from "./form/resource.js";

/** Whether a value has a field's type. */
export type Check = (value: unknown) => boolean;

/**
 * A function that tells whether a record keeps a contract. Its code is generated: a loop over fields that are only
 * known at run time costs several times as much, and every record that is read goes through here.
 *
 * @param checks by field type; null does not reach them, undefined does where a field must not be left out
 */
export function compileCheck(contract: Resource, checks: Readonly<Record<FieldType, Check>>): Check {
  const fields = Object.entries(contract.fields);
  const body = fields.map(([name, field], index) => {
    const value = `record[${JSON.stringify(name)}]`;
    return `value = ${value}; if (!(${acceptance(field, index, contract.neverOmits ?? false)})) return false;`;
  });
  const source = `const { ${Object.keys(checks).join(", ")} } = checks;
    return (record) => {
      if (!object(record)) return false;
      let value;
      ${body.join("\n")}
      return true;
    };`;
  const values = fields.map(([, field]) => field.values);
  return new Function("checks", "values", source)(checks, values);
}

function acceptance({ type, nullable, values }: Field, index: number, neverOmits: boolean): string {
  const present = values ? `${type}(value) && values[${index}].includes(value)` : `${type}(value)`;
  if (nullable === false) return `value !== null && ${present}`;
  return neverOmits ? `value === null || ${present}` : `value === null || value === undefined || ${present}`;
}
