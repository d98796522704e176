import { fromRecords, type History, type Source } from "../../../src/index.js";
import { site } from "../../snapshot/moving-service.js";
import { change, dataset, feature } from "../../support/records.js";
import { rectangle } from "../../support/rectangle.js";

/** South-west corner of the site, which is not part of the sample. */
export const corner = [11, 48] as const;

function boxAt(x: number, y: number, width: number, height: number) {
  return rectangle(corner[0] + x, corner[1] + y, width, height);
}

/** Four blocks of 24 tables each, built from west to east. The last operation has their outlines. */
export function solarSite(): Source {
  const tables = Array.from({ length: 96 }, (_, index) => index);
  const placeOf = (index: number) => {
    const [block, within] = [Math.floor(index / 24), index % 24];
    return [
      0.0004 + (block % 2) * 0.004 + (within % 4) * 0.0008,
      0.0003 + Math.floor(block / 2) * 0.0025 + Math.floor(within / 4) * 0.00033,
    ];
  };
  const layerFeatures = tables.map((index) => {
    const [x = 0, y = 0] = placeOf(index);
    return feature(index + 1, {
      geometry: boxAt(x, y, 0.0006, 0.0002),
      properties: { STATUS: index < 60 ? "BUILT" : "PLANNED" },
      created_at: "2024-01-01T00:00:00Z",
    });
  });
  const at = (id: number, new_value: string, created_at: string, n: number) =>
    change(n, { layer_feature_id: id, new_value, created_at });
  const propertyChanges = tables.flatMap((index) => [
    at(index + 1, "PLANNED", "2024-01-02T00:00:00Z", 2 * index),
    ...(index < 60
      ? [at(index + 1, "BUILT", new Date(Date.UTC(2024, 1, 1 + index)).toISOString(), 2 * index + 1)]
      : []),
  ]);
  const block = (id: number, name: string, x: number, y: number) => ({
    id,
    operation_id: 77,
    polygon_id: id,
    name,
    geo_boundaries: boxAt(x, y, 0.0036, 0.0023),
  });
  const operation = {
    id: 77,
    site_id: 12,
    date_captured: "2024-03-01",
    status: "COMPLETED",
    data_product_id: 1,
    data_product_name: null,
    description: null,
    date_start: null,
    date_end: null,
    contact_name: null,
    contact_phone: null,
    contact_mail: null,
  } as const;
  // An earlier operation has the same blocks, one of them with another outline.
  const earlier = { ...operation, id: 70, date_captured: "2023-03-01" };
  return fromRecords(
    {
      sites: [site(12)],
      datasets: [dataset(1)],
      layerFeatures,
      propertyChanges,
      operations: [operation, earlier],
      blocks: [
        block(1, "Block 01", 0.0002, 0.0001),
        block(2, "Block 02", 0.0042, 0.0001),
        block(3, "Block 03", 0.0002, 0.0026),
        block(4, "Block 04", 0.0042, 0.0026),
        { ...block(5, "Block 01", 0, 0), operation_id: 70 },
      ],
    },
    { readAt: new Date("2024-06-01T00:00:00Z") },
  );
}

/** Its history. */
export function solarHistory(): Promise<History> {
  return solarSite().history({ site_id: 12 });
}
