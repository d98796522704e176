import { Comment, CommentTag, Converter, ReflectionKind } from "typedoc";
import { resources } from "../../modules/api/resources.js";

/** The task of a name, by the folder that declares it. */
const tasks = [
  [/^core\/(origin|provenance)/, "Sources"],
  [/^core\//, "Errors and diagnostics"],
  [/^api\/(resources|contract|page)/, "Records"],
  [/^(api|client|source)\//, "Sources"],
  // In this folder because files must not import each other in a circle.
  [/^layer\/layer\.ts#History$/, "Histories"],
  [/^tables\/display\//, "Displays"],
  [/^(tables|layer)\//, "Layers"],
  [/^history\/questions\/(lazy-|open-lazy-history|sql|engine)/, "Lazy histories"],
  [/^history\//, "Histories"],
  [/^snapshot\//, "Snapshots"],
  [/^plot\/maps\//, "Maps"],
  [/^plot\/(figure|values)\//, "Figures"],
  [/^plot\//, "Charts"],
  [/^notebook\/widget\//, "Widgets"],
];

/**
 * A typedoc plugin: groups the public names by task, describes records with the contract and parameters with their
 * types, and omits members that a class inherits from another public class.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const { children = [] } of project.children ?? []) {
      for (const name of children) {
        addTask(project, name);
        addFields(name);
      }
    }
  });
  // After typedoc has resolved inheritance (0), before it groups (-100).
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => removeInherited(project), -50);
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => describeParameters(project), -60);
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => removeRepeatedExamples(project), -60);
}

function addTask(project, reflection) {
  const file = project.getSymbolIdFromReflection(reflection)?.fileName.replace(/^.*\/src\//, "") ?? "";
  const [, task] = tasks.find(([place]) => place.test(`${file}#${reflection.name}`)) ?? [];
  if (task === undefined) throw new Error(`${reflection.name} has no task: name its folder in group-by-task.mjs.`);
  for (const { comment } of reflection.signatures ?? [reflection]) {
    // Without a comment it is reported as not documented.
    comment?.blockTags.push(new CommentTag("@category", [{ kind: "text", text: task }]));
  }
}

function addFields(reflection) {
  const resource = Object.values(resources).find(({ record }) => record === reflection.name);
  for (const property of (resource && reflection.children) ?? []) {
    const { description, unit, personal } = resource.fields[property.name];
    const notes = [unit && `In ${unit}.`, personal && "Person data."].filter(Boolean);
    property.comment = new Comment([{ kind: "text", text: [description, ...notes].join(" ") }]);
  }
}

function removeInherited(project) {
  const members =
    ReflectionKind.Property | ReflectionKind.Method | ReflectionKind.Constructor | ReflectionKind.Accessor;
  const repeated = project.getReflectionsByKind(members).filter((member) => {
    const isErrorConstructor = member.kindOf(ReflectionKind.Constructor) && member.parent?.name.endsWith("Error");
    return isErrorConstructor || member.inheritedFrom?.reflection !== undefined;
  });
  for (const member of repeated) project.removeReflection(member);
  // Members from a non-public base class belong to the public class.
  for (const name of project.getReflectionsByKind(ReflectionKind.Interface)) {
    const isHidden = ({ name: extended, reflection }) => extended === name.name && reflection === undefined;
    const hidden = name.extendedTypes?.filter(isHidden) ?? [];
    if (hidden.length === 0) continue;
    const shown = name.extendedTypes.filter((type) => !hidden.includes(type));
    name.extendedTypes = shown.length > 0 ? shown : undefined;
    name.typeHierarchy = undefined;
    for (const member of name.children ?? []) forgetOrigin(member);
  }
}

function forgetOrigin(member) {
  for (const one of [member, member.getSignature, ...(member.signatures ?? [])]) {
    if (one?.inheritedFrom?.reflection === undefined) delete one?.inheritedFrom;
    if (one?.overwrites?.reflection === undefined) delete one?.overwrites;
  }
}

/** Signatures without their own comment have that of the first one: its example is shown once. */
function removeRepeatedExamples(project) {
  for (const { signatures = [] } of project.getReflectionsByKind(ReflectionKind.FunctionOrMethod)) {
    const seen = new Set();
    for (const { comment } of signatures) {
      if (!comment) continue;
      comment.blockTags = comment.blockTags.filter(({ tag, content }) => {
        const code = content.map(({ text }) => text).join("");
        const isRepeated = tag === "@example" && seen.has(code);
        if (tag === "@example") seen.add(code);
        return !isRepeated;
      });
    }
  }
}

function describeParameters(project) {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    if (parameter.comment?.summary.length > 0) continue;
    const types = parameter.type?.type === "intersection" ? parameter.type.types : [parameter.type];
    const summaries = types.map((type) => (type?.type === "reference" && type.reflection?.comment?.summary) || []);
    const sentences = summaries.map((parts) => firstSentence(parts.map(({ text }) => text).join("")));
    if (sentences.every(Boolean)) {
      parameter.comment = new Comment([{ kind: "text", text: sentences.join(" ") }]);
    }
  }
}

function firstSentence(text) {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0].replaceAll("\n", " ") ?? "";
}
