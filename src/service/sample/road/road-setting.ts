import type { Setting } from "../features/setting.js";
import type { RoadWorks } from "../grounds/road-works.js";

/** What the features of the road are made from. */
export interface RoadSetting extends Setting {
  readonly works: RoadWorks;
}
