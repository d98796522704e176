// How long maps of many features take, and how large they are. Run `npm run bench:plot`.
import { fromRecords } from "../modules/index.js";
import { layerMap, timeMap } from "../modules/plot/index.js";

const features = 20_000;
const days = 300;
const statuses = ["PLANNED", "PILES", "STRUCTURE", "MODULES", "COMMISSIONED"];
const start = Date.parse("2024-01-01T08:00:00Z");
const DAY = 86_400_000;

const corner = (index) => [-5.98 + (index % 200) * 0.00006, 38.74 + Math.floor(index / 200) * 0.00012];
const layerFeatures = Array.from({ length: features }, (_, index) => {
  const [x, y] = corner(index);
  const ring = [
    [x, y],
    [x + 0.00004, y + 0.00001],
    [x + 0.00004, y + 0.00009],
    [x, y + 0.00008],
    [x, y],
  ];
  return {
    id: index + 1,
    visible_id: `P-${index + 1}`,
    properties: { STATUS: "COMMISSIONED" },
    geometry: { type: "Polygon", coordinates: [ring] },
    dataset_id: 1,
    site_id: 1,
    operation_id: null,
    company_id: 1,
    semantic_type: "SOLAR_PANELS",
    description: null,
    created_at: new Date(start - DAY).toISOString(),
    updated_at: new Date(start).toISOString(),
  };
});
const propertyChanges = layerFeatures.flatMap(({ id }) =>
  statuses.map((new_value, stage) => {
    const day = stage === 0 ? 0 : Math.floor(((id / features) * 0.6 + stage * 0.1) * (days - 1));
    return {
      id: `018e0000-0000-7000-8000-${(id * 8 + stage).toString(16).padStart(12, "0")}`,
      layer_feature_id: id,
      property_key: "STATUS",
      new_value,
      system: false,
      user_id: 1,
      caused_by_change_id: null,
      created_at: new Date(start + day * DAY + (id % 1000)).toISOString(),
    };
  }),
);
const source = fromRecords({ layerFeatures, propertyChanges, datasets: [] }, { readAt: new Date(start + days * DAY) });
const layer = await source.layer({ site_id: 1 });
const history = await layer.history();

const dates = Array.from({ length: days }, (_, day) => new Date(start + day * DAY).toISOString().slice(0, 10));
const measures = [
  ["layerMap of 20,000 polygons", () => layerMap(layer, "STATUS").outerHTML],
  ["timeMap of 20,000 polygons on 300 dates", () => timeMap(history, "STATUS", { dates }).outerHTML],
];
for (const [name, draw] of measures) {
  for (const run of ["first", "again"]) {
    const began = performance.now();
    const html = draw();
    const seconds = ((performance.now() - began) / 1000).toFixed(2);
    console.log(`${name}, ${run}: ${seconds} s, ${(html.length / 1e6).toFixed(2)} MB`);
  }
}
