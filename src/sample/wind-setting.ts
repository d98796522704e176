import type { Setting } from "./setting.js";
import type { WindFarm } from "./wind-farm.js";

/** What the features of the wind farm are made from. */
export interface WindSetting extends Setting {
  readonly farm: WindFarm;
}
