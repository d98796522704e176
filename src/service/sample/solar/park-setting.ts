import type { Setting } from "../features/setting.js";
import type { SolarPark } from "../grounds/solar-park.js";
import type { SolarSchedule } from "./solar-schedule.js";

/** What the features of the solar park are made from. */
export interface ParkSetting extends Setting {
  readonly park: SolarPark;
  readonly schedule: SolarSchedule;
}
