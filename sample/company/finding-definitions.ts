import { define, defineOption, layout, linkTo, section, unit } from "./definition.js";

/** Inherited by the anomalies of every thermal capture. */
export const anomaly = {
  kind: defineOption("solar-anomaly-template", "Class", {
    hot_spot: "Hot spot",
    diode: "Bypass diode or substring",
    string: "String outage",
    cracked_glass: "Cracked glass",
    soiling: "Soiling",
    pid: "Potential-induced degradation",
    vegetation: "Vegetation shading",
  }),
  severity: defineOption("solar-anomaly-template", "Severity", {
    low: "Low",
    medium: "Medium",
    high: "High",
    critical: "Critical",
  }),
  iecClass: define("solar-anomaly-template", "IEC class", "INTEGER", {
    description: "Class of abnormality by IEC TS 62446-3: 1 none to act on, 2 to be rectified, 3 relevant for safety.",
  }),
  modules: define("solar-anomaly-template", "Affected modules", "INTEGER"),
  deltaT: define("solar-anomaly-template", "ΔT", "FLOAT", unit("K")),
  loss: define("solar-anomaly-template", "Estimated loss", "FLOAT", unit("kWh/a")),
  table: define("solar-anomaly-template", "Table", "RELATIONSHIP", linkTo("SOLAR_PANELS")),
  previous: define("solar-anomaly-template", "Previous finding", "RELATIONSHIP", linkTo("SOLAR_ANOMALIES")),
  image: define("solar-anomaly-template", "IR image", "STRING"),
  remarks: define("solar-anomaly-template", "Remarks", "STRING"),
} as const;

export const anomalyLayout = layout(
  section("Finding", [anomaly.kind, anomaly.severity, anomaly.iecClass, anomaly.modules, anomaly.deltaT, anomaly.loss]),
  section("Where", [anomaly.table, anomaly.previous]),
  anomaly.image,
  anomaly.remarks,
);

/** Inherited by the deviations of every capture, on the solar park and on the road. */
export const deviation = {
  kind: defineOption("deviation-template", "Deviation", {
    position: "Out of position",
    height: "Out of height",
    missing: "Missing",
    tilt: "Out of tilt",
  }),
  horizontal: define("deviation-template", "Horizontal offset", "FLOAT", unit("m")),
  vertical: define("deviation-template", "Vertical offset", "FLOAT", unit("m")),
  withinTolerance: define("deviation-template", "Within tolerance", "BOOLEAN"),
  severity: define("deviation-template", "Severity", "INTEGER", { description: "1 (low) to 5 (stop work)." }),
} as const;

export const deviationLayout = layout(
  deviation.kind,
  section("As built versus design", [deviation.horizontal, deviation.vertical, deviation.withinTolerance]),
);

/** Blade damages: each capture's dataset has separate definitions with the same names. */
export function bladeDamage(dataset: string) {
  return {
    turbine: define(dataset, "Turbine", "STRING"),
    blade: defineOption(dataset, "Blade", { A: "Blade A", B: "Blade B", C: "Blade C" }),
    kind: defineOption(dataset, "Class", {
      erosion: "Leading-edge erosion",
      crack: "Crack",
      lightning: "Lightning strike",
      delamination: "Delamination",
      contamination: "Contamination",
    }),
    severity: defineOption(dataset, "Severity", { low: "Low", medium: "Medium", high: "High", critical: "Critical" }),
    radius: define(dataset, "Radius", "FLOAT", unit("m")),
    size: define(dataset, "Damage length", "FLOAT", unit("cm")),
  } as const;
}

export type BladeDamage = ReturnType<typeof bladeDamage>;

export function bladeDamageLayout(damage: BladeDamage) {
  return layout(
    damage.turbine,
    damage.blade,
    section("Damage", [damage.kind, damage.severity, damage.radius, damage.size]),
  );
}
