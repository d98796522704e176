import { resources } from "../../api/resources.js";

/** The API takes the log of at most this many features in one request. Specification: Limits. */
export const LOG_FEATURES = resources.propertyChanges.endpoint.filters.layer_feature_id.maxValues;

/** Of the requests for the log of features that look untouched, one in so many is made. */
export const AUDIT_EVERY = 100;
