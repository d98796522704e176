/** A site as the API sends it. */
export const site = (id) => ({
  id,
  company_id: 1,
  name: `Site ${id}`,
  type: "SOLAR",
  stage: "OPERATION",
  coordinates: null,
  geo_area: 0,
  peak_power: null,
  ac_power: null,
  address_line1: null,
  address_line2: null,
  address_line3: null,
});

/** A dataset as the API sends it. */
export const dataset = (id, site_id, semantic_type) => ({
  id,
  identifier: `ds-${id}`,
  site_id,
  operation_id: null,
  name: `Dataset ${id}`,
  status: "COMPLETED",
  semantic_type,
  layout_definition: null,
});
