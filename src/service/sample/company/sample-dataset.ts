import type { Dataset } from "../../../api/resources.js";

/** A dataset with the attributes that the service filters and sorts by but does not return. */
export interface SampleDataset extends Dataset {
  readonly type: string;
  readonly created_at: string;
  readonly updated_at: string;
}
