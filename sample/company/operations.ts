import type { Operation } from "../../src/api/resources.js";
import { DAY, dateText, HOUR, instant, instantText } from "../base/instant.js";
import { itemAt } from "../base/random.js";
import { people } from "./people.js";
import { siteIds } from "./sites.js";

/** A kind of capture that can be ordered. */
export interface DataProduct {
  readonly id: number;
  readonly name: string;
  readonly site_id: number;
  readonly contact: number;
}

export const products = {
  solarVisual: { id: 11, name: "Construction Progress Capture", site_id: siteIds.solar, contact: 0 },
  solarThermal: { id: 12, name: "Thermal Inspection (IEC 62446-3)", site_id: siteIds.solar, contact: 1 },
  windBlades: { id: 21, name: "Blade Inspection", site_id: siteIds.wind, contact: 2 },
  roadVisual: { id: 31, name: "Corridor Capture", site_id: siteIds.road, contact: 3 },
} as const satisfies Record<string, DataProduct>;

/** The day of a thermal flight that fog cut short. */
export const FOG_DATE = "2026-02-19";

type Order = readonly [product: DataProduct, status: Operation["status"], dates: readonly string[], note?: string];

const orders: readonly Order[] = [
  [
    products.solarVisual,
    "COMPLETED",
    ["2023-05-22", "2023-08-21", "2023-11-13", "2024-02-19", "2024-05-20", "2024-08-19", "2024-11-18", "2025-02-17"],
  ],
  [products.solarVisual, "COMPLETED", ["2025-05-19", "2025-08-18", "2025-11-17", "2026-02-16", "2026-05-18"]],
  [products.solarVisual, "CANCELLED", ["2024-02-12"], "Gusts above the drone's limit; flown a week later."],
  [products.solarVisual, "DRAFT", ["2027-02-15"]],
  [products.solarVisual, "ORDERED", ["2026-11-16"]],
  [products.solarVisual, "PLANNED", ["2026-08-17"]],
  [
    products.solarThermal,
    "COMPLETED",
    ["2024-02-21", "2024-05-23", "2024-08-22", "2024-11-20", "2025-02-20", "2025-05-22", "2025-08-21", "2025-11-19"],
  ],
  [products.solarThermal, "COMPLETED", [FOG_DATE], "Fog from noon on: the last blocks were not flown."],
  [products.solarThermal, "COMPLETED", ["2026-05-21"]],
  [products.solarThermal, "CANCELLED", ["2025-05-12"], "Irradiance below 600 W/m² all day."],
  [products.solarThermal, "IN_REVIEW", ["2026-06-18"], "Repeat over block 02 after the string repairs."],
  [products.solarThermal, "ASSIGNED", ["2026-08-20"]],
  [products.windBlades, "COMPLETED", ["2024-04-16", "2024-10-08", "2025-04-15", "2025-10-07", "2026-04-14"]],
  [products.windBlades, "ORDERED", ["2026-10-06"]],
  [products.roadVisual, "COMPLETED", ["2025-03-11", "2025-06-10", "2025-09-09", "2025-12-09", "2026-03-10"]],
  [products.roadVisual, "PROCESSING", ["2026-06-16"]],
  [products.roadVisual, "UPLOADED", ["2026-06-25"]],
  [products.roadVisual, "FLOWN", ["2026-06-29"], "Junction 2 only."],
  [products.roadVisual, "PLANNED", ["2026-09-08"]],
];

/** The captures, by date. */
export const operations: readonly Operation[] = orders
  .flatMap(([product, status, dates, note]) => dates.map((date) => ({ product, status, date, note })))
  .sort((a, b) => (a.date < b.date ? -1 : 1))
  .map(({ product, status, date, note }, index) => {
    const start = instant(date);
    const flown = !["DRAFT", "ORDERED", "ASSIGNED", "PLANNED", "CANCELLED"].includes(status);
    const contact = itemAt(people.inspectors, product.contact);
    const draft = status === "DRAFT";
    return {
      id: 2001 + index,
      site_id: product.site_id,
      date_captured: flown ? date : null,
      status,
      data_product_id: product.id,
      data_product_name: draft ? null : product.name,
      description: note ?? null,
      date_start: draft ? null : instantText(start - 2 * DAY + 6 * HOUR),
      date_end: draft ? null : instantText(start + 5 * DAY + 16 * HOUR),
      contact_name: draft ? null : contact.name,
      contact_phone: draft || product.site_id === siteIds.road ? null : contact.phone,
      contact_mail: draft ? null : contact.mail,
    };
  });

/** A capture that was flown: its operation, and the moment. */
export interface Capture {
  readonly operation: Operation;
  readonly date: string;
  /** Noon of the day, in microseconds. */
  readonly at: number;
}

/** The delivered captures of a product, oldest first. */
export function capturesOf(product: DataProduct): readonly Capture[] {
  return operations
    .filter((operation) => operation.data_product_id === product.id && operation.status === "COMPLETED")
    .map((operation) => {
      const date = operation.date_captured ?? dateText(0);
      return { operation, date, at: instant(date) + 12 * HOUR };
    });
}
