import type { Setting } from "../features/setting.js";
import type { WindFarm } from "../grounds/wind-farm.js";

/** What the features of the wind farm are made from. */
export interface WindSetting extends Setting {
  readonly farm: WindFarm;
}
