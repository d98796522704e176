import { define, defineOption, layout, linkTo, section, unit } from "./definition.js";

/** Inherited by every component dataset of the solar park. */
export const component = {
  contractor: define("component-template", "Contractor", "STRING"),
  inspectedOn: define("component-template", "Inspected on", "DATE"),
  inspection: defineOption("component-template", "Inspection", {
    pass: "Passed",
    conditional: "Passed with remarks",
    fail: "Failed",
  }),
} as const;

export const componentTemplateLayout = layout(component.inspection, component.inspectedOn, component.contractor);

/** The catalogue of component types. */
export const model = {
  manufacturer: define("component-models", "Manufacturer", "STRING"),
  kind: defineOption("component-models", "Kind", { module: "PV module", inverter: "Inverter", structure: "Structure" }),
  ratedPower: define("component-models", "Rated power", "FLOAT", unit("W")),
  dimensions: define("component-models", "Dimensions", "OBJECT", { description: "Length, width and depth in mm." }),
} as const;

export const modelLayout = layout(
  section("Type plate", [model.manufacturer, model.kind, model.ratedPower]),
  model.dimensions,
);

export const panel = {
  model: define("solar/panels", "Module type", "RELATIONSHIP", { config: { dataset: "Component models" } }),
  contractedModules: define("solar/panels", "Contracted modules", "INTEGER"),
  plannedFinish: define("solar/panels", "Planned finish", "DATE"),
  modules: define("solar/panels", "Installed modules", "INTEGER"),
  batch: define("solar/panels", "Module batch", "STRING"),
  torqueChecked: define("solar/panels", "Torque checked", "BOOLEAN"),
  pullOutTest: define("solar/panels", "Pull-out test", "FLOAT", unit("kN")),
  flashTest: define("solar/panels", "Flash test", "ARRAY", { description: "Power of three sample modules, in W." }),
  remarks: define("solar/panels", "Remarks", "STRING"),
} as const;

export const panelLayout = layout(
  section("Structure", [panel.pullOutTest, panel.torqueChecked]),
  section("Modules", [panel.model, panel.contractedModules, panel.modules, panel.batch, panel.flashTest]),
  panel.plannedFinish,
  section("Quality", [component.inspection, component.inspectedOn, component.contractor]),
  panel.remarks,
);

export const trench = {
  kind: defineOption("solar/trenches", "Trench type", {
    mv: "Medium voltage",
    main: "Low voltage, main",
    feeder: "Low voltage, feeder",
  }),
  length: define("solar/trenches", "Length", "FLOAT", unit("m")),
  depth: define("solar/trenches", "Depth", "FLOAT", unit("m")),
  plannedFinish: define("solar/trenches", "Planned finish", "DATE"),
  reels: define("solar/trenches", "Cable reels", "ARRAY"),
  remarks: define("solar/trenches", "Remarks", "STRING"),
} as const;

/** On some trenches since the import from the old system; its definition is gone. */
export const ORPHAN_KEY = "0d9c7a4e-51f2-4b8a-9c36-7e21f0b45d13";

export const trenchLayout = layout(
  trench.kind,
  trench.length,
  trench.depth,
  trench.plannedFinish,
  trench.reels,
  component.contractor,
  trench.remarks,
);

export const fence = {
  length: define("solar/fences", "Length", "FLOAT", unit("m")),
  height: define("solar/fences", "Height", "FLOAT", unit("m")),
  plannedFinish: define("solar/fences", "Planned finish", "DATE"),
  description: define("solar/fences", "description", "STRING", { description: "Named like a field of the record." }),
} as const;

export const solarRoad = {
  length: define("solar/roads", "Length", "FLOAT", unit("m")),
  width: define("solar/roads", "Width", "FLOAT", unit("m")),
  plannedFinish: define("solar/roads", "Planned finish", "DATE"),
  remarks: define("solar/roads", "Remarks", "STRING"),
} as const;

export const solarRoadLayout = layout(
  solarRoad.width,
  solarRoad.length,
  solarRoad.plannedFinish,
  component.inspection,
  component.inspectedOn,
);

export const turbine = {
  hubHeight: define("wind/turbines", "Hub height", "FLOAT", unit("m")),
  rotorDiameter: define("wind/turbines", "Rotor diameter", "FLOAT", unit("m")),
  ratedPower: define("wind/turbines", "Rated power", "FLOAT", unit("kW")),
  serial: define("wind/turbines", "Serial number", "STRING"),
} as const;

export const turbineLayout = layout(
  turbine.serial,
  section(null, [turbine.hubHeight, turbine.rotorDiameter, turbine.ratedPower]),
);

export const roadSection = {
  chainageFrom: define("road/sections", "Chainage from", "FLOAT", unit("m")),
  chainageTo: define("road/sections", "Chainage to", "FLOAT", unit("m")),
  length: define("road/sections", "Length", "FLOAT", unit("m")),
  width: define("road/sections", "Width", "FLOAT", unit("m")),
  layers: define("road/sections", "Layer thickness", "OBJECT", { description: "Thickness by layer, in mm." }),
  remarks: define("road/sections", "Remarks", "STRING"),
} as const;

export const roadSectionLayout = layout(
  section("Chainage", [roadSection.chainageFrom, roadSection.chainageTo, roadSection.length]),
  section("Pavement", [roadSection.width, roadSection.layers]),
  roadSection.remarks,
);

export const ticket = {
  title: define("solar/punch-list", "Title", "STRING"),
  discipline: defineOption("solar/punch-list", "Discipline", {
    civil: "Civil",
    mechanical: "Mechanical",
    electrical: "Electrical",
    safety: "Health and safety",
    documents: "Documentation",
  }),
  component: define("solar/punch-list", "Component", "RELATIONSHIP", linkTo("SOLAR_PANELS")),
  cost: define("solar/punch-list", "Cost estimate", "FLOAT", unit("€")),
  safety: define("solar/punch-list", "Safety relevant", "BOOLEAN"),
  resolvedOn: define("solar/punch-list", "Resolved on", "DATE"),
  comments: define("solar/punch-list", "Comments", "ARRAY"),
  remarks: define("solar/punch-list", "Remarks", "STRING"),
} as const;

export const ticketLayout = layout(
  ticket.title,
  section("Work", [ticket.discipline, ticket.component, ticket.safety, ticket.cost]),
  section("Closing", [ticket.resolvedOn, ticket.remarks]),
  ticket.comments,
);

export const annotation = {
  title: define("solar/annotations", "Title", "STRING"),
  ticket: define("solar/annotations", "Ticket", "RELATIONSHIP", linkTo("PUNCH_LIST_ITEMS")),
  visible: define("solar/annotations", "Shown on map", "BOOLEAN"),
  survey: define("solar/annotations", "Survey", "OBJECT", { description: "How the volume was measured." }),
} as const;
