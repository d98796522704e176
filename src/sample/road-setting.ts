import type { RoadWorks } from "./road-works.js";
import type { Setting } from "./setting.js";

/** What the features of the road are made from. */
export interface RoadSetting extends Setting {
  readonly works: RoadWorks;
}
