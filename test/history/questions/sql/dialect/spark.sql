-- asOf("2024-06-03")
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.id AS base0, f.visible_id AS base1, f.semantic_type AS base2, f.dataset_id AS base3, f.operation_id AS base4, f.site_id AS base5, f.company_id AS base6, f.description AS base7, timestamp_micros(unix_micros(f.created_at)) AS base8, timestamp_micros(unix_micros(f.updated_at)) AS base9, get_json_object(f.record, '$.geometry') AS base10, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c LEFT JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
cells AS (SELECT f, col, coalesce(max_by(v, struct(us, id)) FILTER (WHERE us <= 1717451999999999 AND col IS NOT NULL), '?') AS v, min(us) AS first_us FROM changes GROUP BY f, col),
wide AS (SELECT f AS changed, min(first_us) AS first_us, max(CASE WHEN col = 0 THEN v END) AS v0, max(CASE WHEN col = 1 THEN v END) AS v1 FROM cells GROUP BY f),
present AS (SELECT *, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us FROM feat LEFT JOIN wide ON changed = f)
SELECT base0 AS `id`,
  base1 AS `visible_id`,
  CASE WHEN from_us <= 1717451999999999 THEN TRY_CAST(coalesce(v0, now0) AS DOUBLE) END AS `Depth`,
  CASE WHEN from_us <= 1717451999999999 THEN CASE WHEN coalesce(v1, now1) IN ('null', '?') THEN NULL WHEN substr(coalesce(v1, now1), 1, 1) = '"' THEN from_json(concat('{"v":', coalesce(v1, now1), '}'), 'v STRING').v
    ELSE coalesce(v1, now1) END END AS `STATUS`,
  base2 AS `semantic_type`,
  base3 AS `dataset_id`,
  base4 AS `operation_id`,
  base5 AS `site_id`,
  base6 AS `company_id`,
  base7 AS `description`,
  base8 AS `created_at`,
  base9 AS `updated_at`,
  base10 AS `geometry`
FROM present
WHERE from_us <= 1717451999999999
ORDER BY 1;

-- asOf("2024-06-03T12:00:00Z", {"absent":"keep","fillUnknown":"backfill"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.id AS base0, f.visible_id AS base1, f.semantic_type AS base2, f.dataset_id AS base3, f.operation_id AS base4, f.site_id AS base5, f.company_id AS base6, f.description AS base7, timestamp_micros(unix_micros(f.created_at)) AS base8, timestamp_micros(unix_micros(f.updated_at)) AS base9, get_json_object(f.record, '$.geometry') AS base10, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c LEFT JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
cells AS (SELECT f, col, coalesce(max_by(v, struct(us, id)) FILTER (WHERE us <= 1717416000000000 AND col IS NOT NULL), min_by(v, struct(us, id)) FILTER (WHERE us IS NOT NULL AND col IS NOT NULL), '?') AS v, min(us) AS first_us FROM changes GROUP BY f, col),
wide AS (SELECT f AS changed, min(first_us) AS first_us, max(CASE WHEN col = 0 THEN v END) AS v0, max(CASE WHEN col = 1 THEN v END) AS v1 FROM cells GROUP BY f),
present AS (SELECT *, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us FROM feat LEFT JOIN wide ON changed = f)
SELECT base0 AS `id`,
  base1 AS `visible_id`,
  CASE WHEN from_us <= 1717416000000000 THEN TRY_CAST(coalesce(v0, now0) AS DOUBLE) END AS `Depth`,
  CASE WHEN from_us <= 1717416000000000 THEN CASE WHEN coalesce(v1, now1) IN ('null', '?') THEN NULL WHEN substr(coalesce(v1, now1), 1, 1) = '"' THEN from_json(concat('{"v":', coalesce(v1, now1), '}'), 'v STRING').v
    ELSE coalesce(v1, now1) END END AS `STATUS`,
  base2 AS `semantic_type`,
  base3 AS `dataset_id`,
  base4 AS `operation_id`,
  base5 AS `site_id`,
  base6 AS `company_id`,
  base7 AS `description`,
  base8 AS `created_at`,
  base9 AS `updated_at`,
  base10 AS `geometry`
FROM present
ORDER BY 1;

-- causeTrees()
WITH literals AS (SELECT * FROM VALUES (NULL, NULL, NULL, NULL, NULL, NULL) AS literals(c0, c1, c2, c3, c4, c5))
SELECT CAST(c0 AS STRING) AS `root_change_id`, CAST(c1 AS STRING) AS `change_id`, CAST(c2 AS BIGINT) AS `depth`, CAST(c3 AS BIGINT) AS `id`, CAST(c4 AS STRING) AS `column`, CAST(c5 AS STRING) AS `value` FROM literals WHERE 1 = 0;

-- changes()
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v, c.property_key AS k, c.user_id AS user_id, c.`system` AS is_system, c.caused_by_change_id AS cause
  FROM property_changes c LEFT JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
ranked AS (SELECT feat.f, visible_id, id, col, k, v, us, is_system, user_id, cause,
    lag(v) OVER (PARTITION BY feat.f, k ORDER BY us NULLS LAST, id) AS previous
  FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL),
numbered AS (SELECT ranked.*, row_number() OVER (ORDER BY id) - 1 AS seq FROM ranked),
logged AS (SELECT * FROM numbered WHERE col IS NOT NULL),
cols AS (SELECT * FROM VALUES (0, 'Depth'), (1, 'STATUS') AS literals(named, name)),
dated AS (SELECT *, CASE WHEN substr(id, 15, 1) = '7' AND substr(id, 20, 1) IN ('8', '9', 'a', 'b') THEN 1000 * CAST(conv(concat(substr(id, 1, 8), substr(id, 10, 4)), 16, 10) AS BIGINT) END AS recorded_us, date_from_unix_date(CAST(floor((us + CASE WHEN us >= 1711846800000000 THEN 7200000000 ELSE 3600000000 END) / 86400000000) AS INT)) AS local_date FROM logged JOIN cols ON named = col)
SELECT CAST(id AS STRING) AS `change_id`,
  seq AS `seq`,
  f AS `id`,
  visible_id AS `visible_id`,
  name AS `column`,
  k AS `property_key`,
  CASE WHEN v IN ('null', '?') THEN NULL WHEN substr(v, 1, 1) = '"' THEN from_json(concat('{"v":', v, '}'), 'v STRING').v
    ELSE v END AS `value`,
  CASE WHEN previous IN ('null', '?') THEN NULL WHEN substr(previous, 1, 1) = '"' THEN from_json(concat('{"v":', previous, '}'), 'v STRING').v
    ELSE previous END AS `previous`,
  is_system AS `system`,
  user_id AS `user_id`,
  cause AS `caused_by_change_id`,
  timestamp_micros(us) AS `created_at`,
  us AS `created_at_us`,
  timestamp_micros(recorded_us) AS `recorded_at`,
  local_date AS `local_date`
FROM dated ORDER BY us NULLS LAST, change_id;

-- counts("STATUS", {"from":"2024-05-31","until":"2024-06-05","every":"day"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now0
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.now0, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
grid0 AS (SELECT * FROM VALUES (CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(1717192799999999 AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)), (0, 1, 1, 1717279199999999, NULL, NULL, NULL), (0, 2, 2, 1717365599999999, NULL, NULL, NULL), (0, 3, 3, 1717451999999999, NULL, NULL, NULL), (0, 4, 4, 1717538399999999, NULL, NULL, NULL), (0, 5, 5, 1717624799999999, NULL, NULL, NULL) AS literals(node, bucket, base, t, cut, cut_from, cut_width)),
placed AS (SELECT f, id, us, v AS vc, CASE WHEN us <= 1717192799999999 THEN 0 WHEN us <= 1717624799999999 THEN CASE WHEN p0.bucket IS NOT NULL THEN p0.base + CASE WHEN us > p0.t THEN 1 ELSE 0 END END ELSE 6 END AS place FROM changes
  LEFT JOIN grid0 p0 ON p0.node = 0 AND p0.bucket = ((us - 1717192799999999) div 86400000000)),
followed AS (SELECT f, place, vc, lead(place) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_place FROM placed),
seen AS (SELECT f AS changed, place, vc, lag(vc) OVER (PARTITION BY f ORDER BY place) AS vc_before, row_number() OVER (PARTITION BY f ORDER BY place) AS n
  FROM followed WHERE next_place IS NULL OR next_place <> place),
appearing AS (SELECT f, now0, CASE WHEN from_us <= 1717192799999999 THEN 0 WHEN from_us <= 1717624799999999 THEN CASE WHEN a0.bucket IS NOT NULL THEN a0.base + CASE WHEN from_us > a0.t THEN 1 ELSE 0 END END ELSE 6 END AS appears FROM present
  LEFT JOIN grid0 a0 ON a0.node = 0 AND a0.bucket = ((from_us - 1717192799999999) div 86400000000)),
events AS (SELECT f, CASE WHEN side = 1 THEN place ELSE appears END AS place, CASE WHEN side = 1 THEN vc ELSE CASE WHEN changed IS NULL THEN concat('=', now0) ELSE '?' END END AS v,
    CASE WHEN side = 1 THEN coalesce(vc_before, '?') END AS v_before, CAST(NULL AS STRING) AS g, CAST(NULL AS STRING) AS g_before
  FROM appearing LEFT JOIN seen ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND place < 6) OR (side = 0 AND appears < 6 AND (changed IS NULL OR n = 1))),
deltas AS (SELECT f, place, step, CASE WHEN step = 1 THEN v ELSE v_before END AS v, CASE WHEN step = 1 THEN g ELSE g_before END AS g
  FROM events CROSS JOIN (SELECT * FROM VALUES (1), (-1) AS literals(step)) AS signs WHERE (step = 1 AND v IS NOT NULL) OR (step = -1 AND v_before IS NOT NULL)),
sums AS (SELECT place, v, g AS g, sum(step) AS n FROM deltas GROUP BY place, v, g),
dates AS (SELECT * FROM VALUES (0, 0, '2024-05-31'), (1, 1, '2024-06-01'), (2, 2, '2024-06-02'), (3, 3, '2024-06-03'), (4, 4, '2024-06-04'), (5, 5, '2024-06-05') AS literals(asked, date_place, date_text)),
dated AS (SELECT asked, date_text, g, v, sum(n) AS n
  FROM dates JOIN sums ON date_place >= place GROUP BY asked, date_text, g, v)
SELECT date_text AS `date`, CASE WHEN v = '?' THEN 'unknown' WHEN substr(v, 1, 1) = '=' THEN 'unchanged' WHEN v = 'null' THEN 'cleared' ELSE 'logged' END AS `state`, CASE WHEN CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END, '}'), 'v STRING').v
    ELSE CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END END AS `value`, n AS `count`
FROM dated WHERE n <> 0 ORDER BY dated.asked, dated.g, dated.v;

-- counts("STATUS", ["2024-06-05","9999-12-30"], {"by":"site_id","weight":"Depth"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.site_id AS grouped, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now0, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.grouped, feat.now0, feat.now1, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('STATUS', 1), ('cccccccc-0000-7000-8000-000000000001', 0) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
grid0 AS (SELECT * FROM VALUES (CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(1717624799999999 AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)), (0, 1, 1, 253402210800000000, NULL, NULL, NULL) AS literals(node, bucket, base, t, cut, cut_from, cut_width)),
placed AS (SELECT f, id, us, CASE WHEN col = 1 THEN v END AS vc, CASE WHEN col = 0 THEN v END AS vw, CASE WHEN us <= 1717624799999999 THEN 0 WHEN us <= 253402210800000000 THEN CASE WHEN p0.bucket IS NOT NULL THEN p0.base + CASE WHEN us > p0.t THEN 1 ELSE 0 END END ELSE 2 END AS place
  FROM changes
  LEFT JOIN grid0 p0 ON p0.node = 0 AND p0.bucket = ((us - 1717624799999999) div 251684586000000001)),
counted AS (SELECT f, place, vc, vw, lead(place) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_place,
    count(vc) OVER (PARTITION BY f ORDER BY us NULLS LAST, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS nc, count(vw) OVER (PARTITION BY f ORDER BY us NULLS LAST, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS nw,
    count(vc) OVER (PARTITION BY f) AS all_c, count(vw) OVER (PARTITION BY f) AS all_w FROM placed),
filled AS (SELECT f, place, next_place, all_c, all_w,
    max(vc) OVER (PARTITION BY f, nc) AS vc, max(vw) OVER (PARTITION BY f, nw) AS vw FROM counted),
seen AS (SELECT f AS changed, place, vc, vw, all_c, all_w,
    lag(vc) OVER (PARTITION BY f ORDER BY place) AS vc_before, lag(vw) OVER (PARTITION BY f ORDER BY place) AS vw_before, row_number() OVER (PARTITION BY f ORDER BY place) AS n
  FROM filled WHERE next_place IS NULL OR next_place <> place),
appearing AS (SELECT f, grouped, now0, now1, CASE WHEN from_us <= 1717624799999999 THEN 0 WHEN from_us <= 253402210800000000 THEN CASE WHEN a0.bucket IS NOT NULL THEN a0.base + CASE WHEN from_us > a0.t THEN 1 ELSE 0 END END ELSE 2 END AS appears FROM present
  LEFT JOIN grid0 a0 ON a0.node = 0 AND a0.bucket = ((from_us - 1717624799999999) div 251684586000000001)),
raw_events AS (SELECT f, side, CASE WHEN side = 1 THEN place ELSE appears END AS place, vc, vc_before, vw, vw_before,
    CASE WHEN all_c > 0 THEN '?' ELSE concat('=', now0) END AS v0, CASE WHEN all_w > 0 THEN '?' ELSE concat('=', now1) END AS w0, grouped
  FROM appearing LEFT JOIN seen ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND place < 2) OR (side = 0 AND appears < 2 AND (changed IS NULL OR n = 1))),
events AS (SELECT f, place, CASE WHEN side = 1 THEN coalesce(vc, v0) ELSE v0 END AS v,
    CASE WHEN side = 1 THEN coalesce(vc_before, v0) END AS v_before, CASE WHEN side = 1 THEN coalesce(vw, w0) ELSE w0 END AS w,
    CASE WHEN side = 1 THEN coalesce(vw_before, w0) END AS w_before, grouped AS g, grouped AS g_before
  FROM raw_events),
deltas AS (SELECT f, place, step, CASE WHEN step = 1 THEN v ELSE v_before END AS v, CASE WHEN step = 1 THEN g ELSE g_before END AS g, CASE WHEN step = 1 THEN w ELSE w_before END AS w
  FROM events CROSS JOIN (SELECT * FROM VALUES (1), (-1) AS literals(step)) AS signs WHERE (step = 1 AND v IS NOT NULL) OR (step = -1 AND v_before IS NOT NULL)),
weighed AS (SELECT f, place, step, v, g, w, CASE WHEN weight_number >= 0 THEN weight_number END AS weight
  FROM (SELECT f, place, step, v, g, w, CAST(TRY_CAST(CASE WHEN substr(w, 1, 1) = '=' THEN substr(w, 2) ELSE w END AS DOUBLE) AS DOUBLE) AS weight_number FROM deltas) numbered),
sums AS (SELECT place, v, g AS g, sum(step) AS n, sum(CASE WHEN weight IS NULL THEN 0 ELSE step END) AS weighted, coalesce(sum(step * weight), 0) AS quantity FROM weighed GROUP BY place, v, g),
dates AS (SELECT * FROM VALUES (0, 0, '2024-06-05'), (1, 1, '9999-12-30') AS literals(asked, date_place, date_text)),
dated AS (SELECT asked, date_text, g, v, sum(n) AS n, sum(weighted) AS weighted, sum(quantity) AS quantity
  FROM dates JOIN sums ON date_place >= place GROUP BY asked, date_text, g, v)
SELECT date_text AS `date`, g AS `site_id`, CASE WHEN v = '?' THEN 'unknown' WHEN substr(v, 1, 1) = '=' THEN 'unchanged' WHEN v = 'null' THEN 'cleared' ELSE 'logged' END AS `state`, CASE WHEN CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END, '}'), 'v STRING').v
    ELSE CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END END AS `value`, n AS `count`, CASE WHEN weighted = 0 THEN 0 ELSE quantity END AS `quantity`, weighted AS `weighted`, 'Depth' AS `unit`
FROM dated WHERE n <> 0 ORDER BY dated.asked, dated.g, dated.v;

-- diff("2024-06-01", "2024-06-05")
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, feat.now1, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
cells AS (SELECT f AS changed, col AS changed_col, max_by(v, struct(us, id)) FILTER (WHERE us <= 1717279199999999) AS v_from, max_by(v, struct(us, id)) FILTER (WHERE us <= 1717624799999999) AS v_to,
    count(CASE WHEN us > 1717279199999999 AND us <= 1717624799999999 THEN 1 END) AS n FROM changes GROUP BY f, col),
cols AS (SELECT * FROM VALUES (0, 'Depth'), (1, 'STATUS') AS literals(col, name)),
differences AS (SELECT f, visible_id, now0, now1, col, name, CASE WHEN from_us <= 1717279199999999 THEN coalesce(v_from, CASE WHEN changed IS NULL THEN '=' ELSE '?' END) END AS cell_before,
    coalesce(v_to, CASE WHEN changed IS NULL THEN '=' ELSE '?' END) AS cell_after, coalesce(n, 0) AS n
  FROM present CROSS JOIN cols LEFT JOIN cells ON changed = f AND changed_col = col
  WHERE from_us <= 1717624799999999 AND (n > 0 OR from_us > 1717279199999999))
SELECT f AS `id`,
  visible_id AS `visible_id`,
  name AS `column`,
  CASE WHEN CASE WHEN cell_before = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_before END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN cell_before = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_before END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN cell_before = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_before END, '}'), 'v STRING').v
    ELSE CASE WHEN cell_before = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_before END END AS `before`,
  CASE WHEN CASE WHEN cell_after = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_after END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN cell_after = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_after END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN cell_after = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_after END, '}'), 'v STRING').v
    ELSE CASE WHEN cell_after = '=' THEN CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END ELSE cell_after END END AS `after`,
  CASE WHEN cell_before IS NULL THEN 'absent' WHEN cell_before = '?' THEN 'unknown' WHEN substr(cell_before, 1, 1) = '=' THEN 'unchanged' WHEN cell_before = 'null' THEN 'cleared' ELSE 'logged' END AS `before_state`,
  CASE WHEN cell_after = '?' THEN 'unknown' WHEN substr(cell_after, 1, 1) = '=' THEN 'unchanged' WHEN cell_after = 'null' THEN 'cleared' ELSE 'logged' END AS `after_state`,
  n AS `changes`
FROM differences ORDER BY f, col;

-- durations("STATUS", {"until":"2024-06-30"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now0
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
ranked AS (SELECT f AS changed, id, us, v, lead(us) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_us,
    row_number() OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS n FROM changes),
starts AS (SELECT f, visible_id, now0, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '=' ELSE '?' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us))))),
edges AS (SELECT f, visible_id, now0, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM starts),
intervals AS (SELECT f, visible_id, now0, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v),
held_values AS (SELECT f, v, visible_id, now0, min(from_us) AS first_us, CASE WHEN min(from_us) <> -4611686018427387904 THEN sum(CASE WHEN to_us IS NULL OR to_us > 1719784800000000 THEN 1719784800000000 ELSE to_us END - from_us) END AS held_days, count(*) AS intervals
  FROM intervals WHERE from_us <= 1719784799999999 GROUP BY f, v, visible_id, now0)
SELECT f AS `id`,
  visible_id AS `visible_id`,
  CASE WHEN CASE WHEN v = '=' THEN now0 ELSE v END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN v = '=' THEN now0 ELSE v END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN v = '=' THEN now0 ELSE v END, '}'), 'v STRING').v
    ELSE CASE WHEN v = '=' THEN now0 ELSE v END END AS `value`,
  CASE WHEN v = '?' THEN 'unknown' WHEN substr(v, 1, 1) = '=' THEN 'unchanged' WHEN v = 'null' THEN 'cleared' ELSE 'logged' END AS `state`,
  CAST(held_days AS DOUBLE) / 86400000000 AS `days`,
  intervals AS `intervals`
FROM held_values ORDER BY f, first_us;

-- durations("STATUS", {"calendar":"working"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now0
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
ranked AS (SELECT f AS changed, id, us, v, lead(us) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_us,
    row_number() OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS n FROM changes),
starts AS (SELECT f, visible_id, now0, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '=' ELSE '?' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us))))),
edges AS (SELECT f, visible_id, now0, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM starts),
intervals AS (SELECT f, visible_id, now0, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v),
working_days AS (SELECT * FROM VALUES (CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT)), (1, 0, 28800000000, 1000000000), (2, 0, 57600000000, 2000000000), (3, 0, 86400000000, 3000000000), (4, 0, 115200000000, 4000000000), (5, 1, 144000000000, 5000000000), (6, 1, 144000000000, 5000000000), (7, 0, 144000000000, 5000000000), (8, 0, 172800000000, 6000000000), (9, 0, 201600000000, 7000000000), (10, 0, 230400000000, 8000000000), (11, 0, 259200000000, 9000000000), (12, 1, 288000000000, 10000000000), (13, 1, 288000000000, 10000000000), (14, 0, 288000000000, 10000000000), (15, 0, 316800000000, 11000000000), (16, 0, 345600000000, 12000000000), (17, 0, 374400000000, 13000000000), (18, 0, 403200000000, 14000000000), (19, 1, 432000000000, 15000000000), (20, 1, 432000000000, 15000000000), (21, 0, 432000000000, 15000000000), (22, 0, 460800000000, 16000000000), (23, 0, 489600000000, 17000000000), (24, 0, 518400000000, 18000000000), (25, 0, 547200000000, 19000000000), (26, 1, 576000000000, 20000000000), (27, 1, 576000000000, 20000000000), (28, 0, 576000000000, 20000000000), (29, 0, 604800000000, 21000000000), (30, 0, 633600000000, 22000000000), (31, 0, 662400000000, 23000000000), (32, 0, 691200000000, 24000000000), (33, 1, 720000000000, 25000000000), (34, 1, 720000000000, 25000000000), (35, 0, 720000000000, 25000000000), (36, 0, 748800000000, 26000000000), (37, 0, 777600000000, 27000000000), (38, 0, 806400000000, 28000000000), (39, 0, 835200000000, 29000000000), (40, 1, 864000000000, 30000000000), (41, 1, 864000000000, 30000000000), (42, 0, 864000000000, 30000000000), (43, 0, 892800000000, 31000000000), (44, 0, 921600000000, 32000000000), (45, 0, 950400000000, 33000000000), (46, 0, 979200000000, 34000000000), (47, 1, 1008000000000, 35000000000), (48, 1, 1008000000000, 35000000000), (49, 0, 1008000000000, 35000000000), (50, 0, 1036800000000, 36000000000), (51, 0, 1065600000000, 37000000000), (52, 0, 1094400000000, 38000000000), (53, 0, 1123200000000, 39000000000), (54, 1, 1152000000000, 40000000000), (55, 1, 1152000000000, 40000000000), (56, 0, 1152000000000, 40000000000), (57, 0, 1180800000000, 41000000000), (58, 0, 1209600000000, 42000000000), (59, 0, 1238400000000, 43000000000), (60, 0, 1267200000000, 44000000000), (61, 1, 1296000000000, 45000000000), (62, 1, 1296000000000, 45000000000), (63, 0, 1296000000000, 45000000000), (64, 0, 1324800000000, 46000000000), (65, 0, 1353600000000, 47000000000), (66, 0, 1382400000000, 48000000000), (67, 0, 1411200000000, 49000000000), (68, 1, 1440000000000, 50000000000), (69, 1, 1440000000000, 50000000000), (70, 0, 1440000000000, 50000000000), (71, 0, 1468800000000, 51000000000), (72, 0, 1497600000000, 52000000000), (73, 0, 1526400000000, 53000000000), (74, 0, 1555200000000, 54000000000), (75, 1, 1584000000000, 55000000000), (76, 1, 1584000000000, 55000000000), (77, 0, 1584000000000, 55000000000), (78, 0, 1612800000000, 56000000000), (79, 0, 1641600000000, 57000000000), (80, 0, 1670400000000, 58000000000), (81, 0, 1699200000000, 59000000000), (82, 1, 1728000000000, 60000000000), (83, 1, 1728000000000, 60000000000), (84, 0, 1728000000000, 60000000000), (85, 0, 1756800000000, 61000000000), (86, 0, 1785600000000, 62000000000), (87, 0, 1814400000000, 63000000000), (88, 0, 1843200000000, 64000000000), (89, 1, 1872000000000, 65000000000), (90, 1, 1872000000000, 65000000000), (91, 2, 1872000000000, 65000000000), (92, 2, 1900800000000, 66000000000), (93, 2, 1929600000000, 67000000000), (94, 2, 1958400000000, 68000000000), (95, 2, 1987200000000, 69000000000), (96, 1, 2016000000000, 70000000000), (97, 1, 2016000000000, 70000000000), (98, 2, 2016000000000, 70000000000), (99, 2, 2044800000000, 71000000000), (100, 2, 2073600000000, 72000000000), (101, 2, 2102400000000, 73000000000), (102, 2, 2131200000000, 74000000000), (103, 1, 2160000000000, 75000000000), (104, 1, 2160000000000, 75000000000), (105, 2, 2160000000000, 75000000000), (106, 2, 2188800000000, 76000000000), (107, 2, 2217600000000, 77000000000), (108, 2, 2246400000000, 78000000000), (109, 2, 2275200000000, 79000000000), (110, 1, 2304000000000, 80000000000), (111, 1, 2304000000000, 80000000000), (112, 2, 2304000000000, 80000000000), (113, 2, 2332800000000, 81000000000), (114, 2, 2361600000000, 82000000000), (115, 2, 2390400000000, 83000000000), (116, 2, 2419200000000, 84000000000), (117, 1, 2448000000000, 85000000000), (118, 1, 2448000000000, 85000000000), (119, 2, 2448000000000, 85000000000), (120, 2, 2476800000000, 86000000000), (121, 2, 2505600000000, 87000000000), (122, 2, 2534400000000, 88000000000), (123, 2, 2563200000000, 89000000000), (124, 1, 2592000000000, 90000000000), (125, 1, 2592000000000, 90000000000), (126, 2, 2592000000000, 90000000000), (127, 2, 2620800000000, 91000000000), (128, 2, 2649600000000, 92000000000), (129, 2, 2678400000000, 93000000000), (130, 2, 2707200000000, 94000000000), (131, 1, 2736000000000, 95000000000), (132, 1, 2736000000000, 95000000000), (133, 2, 2736000000000, 95000000000), (134, 2, 2764800000000, 96000000000), (135, 2, 2793600000000, 97000000000), (136, 2, 2822400000000, 98000000000), (137, 2, 2851200000000, 99000000000), (138, 1, 2880000000000, 100000000000), (139, 1, 2880000000000, 100000000000), (140, 2, 2880000000000, 100000000000), (141, 2, 2908800000000, 101000000000), (142, 2, 2937600000000, 102000000000), (143, 2, 2966400000000, 103000000000), (144, 2, 2995200000000, 104000000000), (145, 1, 3024000000000, 105000000000), (146, 1, 3024000000000, 105000000000), (147, 2, 3024000000000, 105000000000), (148, 2, 3052800000000, 106000000000), (149, 2, 3081600000000, 107000000000), (150, 2, 3110400000000, 108000000000), (151, 2, 3139200000000, 109000000000), (152, 1, 3168000000000, 110000000000), (153, 1, 3168000000000, 110000000000), (154, 1, 3168000000000, 110000000000), (155, 2, 3168000000000, 110000000000), (156, 2, 3196800000000, 111000000000), (157, 2, 3225600000000, 112000000000), (158, 2, 3254400000000, 113000000000), (159, 1, 3283200000000, 114000000000), (160, 1, 3283200000000, 114000000000), (161, 2, 3283200000000, 114000000000), (162, 2, 3312000000000, 115000000000), (163, 2, 3340800000000, 116000000000), (164, 2, 3369600000000, 117000000000), (165, 2, 3398400000000, 118000000000), (166, 1, 3427200000000, 119000000000), (167, 1, 3427200000000, 119000000000), (168, 2, 3427200000000, 119000000000), (169, 2, 3456000000000, 120000000000), (170, 2, 3484800000000, 121000000000), (171, 2, 3513600000000, 122000000000), (172, 2, 3542400000000, 123000000000), (173, 1, 3571200000000, 124000000000), (174, 1, 3571200000000, 124000000000), (175, 2, 3571200000000, 124000000000), (176, 2, 3600000000000, 125000000000), (177, 2, 3628800000000, 126000000000), (178, 2, 3657600000000, 127000000000), (179, 2, 3686400000000, 128000000000), (180, 1, 3715200000000, 129000000000), (181, 1, 3715200000000, 129000000000), (182, 2, 3715200000000, 129000000000), (183, 2, 3744000000000, 130000000000), (184, 2, 3772800000000, 131000000000), (185, 2, 3801600000000, 132000000000), (186, 2, 3830400000000, 133000000000), (187, 1, 3859200000000, 134000000000), (188, 1, 3859200000000, 134000000000), (189, 2, 3859200000000, 134000000000), (190, 2, 3888000000000, 135000000000), (191, 2, 3916800000000, 136000000000), (192, 2, 3945600000000, 137000000000), (193, 2, 3974400000000, 138000000000), (194, 1, 4003200000000, 139000000000), (195, 1, 4003200000000, 139000000000), (196, 2, 4003200000000, 139000000000), (197, 2, 4032000000000, 140000000000), (198, 2, 4060800000000, 141000000000), (199, 2, 4089600000000, 142000000000), (200, 2, 4118400000000, 143000000000), (201, 1, 4147200000000, 144000000000), (202, 1, 4147200000000, 144000000000), (203, 2, 4147200000000, 144000000000), (204, 2, 4176000000000, 145000000000), (205, 2, 4204800000000, 146000000000), (206, 2, 4233600000000, 147000000000), (207, 2, 4262400000000, 148000000000), (208, 1, 4291200000000, 149000000000), (209, 1, 4291200000000, 149000000000), (210, 2, 4291200000000, 149000000000), (211, 2, 4320000000000, 150000000000), (212, 2, 4348800000000, 151000000000), (213, 2, 4377600000000, 152000000000), (214, 2, 4406400000000, 153000000000), (215, 1, 4435200000000, 154000000000), (216, 1, 4435200000000, 154000000000), (217, 2, 4435200000000, 154000000000), (218, 2, 4464000000000, 155000000000), (219, 2, 4492800000000, 156000000000), (220, 2, 4521600000000, 157000000000), (221, 2, 4550400000000, 158000000000), (222, 1, 4579200000000, 159000000000), (223, 1, 4579200000000, 159000000000), (224, 2, 4579200000000, 159000000000), (225, 2, 4608000000000, 160000000000), (226, 2, 4636800000000, 161000000000), (227, 2, 4665600000000, 162000000000), (228, 2, 4694400000000, 163000000000), (229, 1, 4723200000000, 164000000000), (230, 1, 4723200000000, 164000000000), (231, 2, 4723200000000, 164000000000), (232, 2, 4752000000000, 165000000000), (233, 2, 4780800000000, 166000000000), (234, 2, 4809600000000, 167000000000), (235, 2, 4838400000000, 168000000000), (236, 1, 4867200000000, 169000000000), (237, 1, 4867200000000, 169000000000), (238, 2, 4867200000000, 169000000000), (239, 2, 4896000000000, 170000000000), (240, 2, 4924800000000, 171000000000), (241, 2, 4953600000000, 172000000000), (242, 2, 4982400000000, 173000000000), (243, 1, 5011200000000, 174000000000), (244, 1, 5011200000000, 174000000000), (245, 2, 5011200000000, 174000000000), (246, 2, 5040000000000, 175000000000), (247, 2, 5068800000000, 176000000000), (248, 2, 5097600000000, 177000000000), (249, 2, 5126400000000, 178000000000), (250, 1, 5155200000000, 179000000000), (251, 1, 5155200000000, 179000000000), (252, 2, 5155200000000, 179000000000), (253, 2, 5184000000000, 180000000000), (254, 2, 5212800000000, 181000000000), (255, 2, 5241600000000, 182000000000), (256, 2, 5270400000000, 183000000000), (257, 1, 5299200000000, 184000000000), (258, 1, 5299200000000, 184000000000), (259, 2, 5299200000000, 184000000000), (260, 2, 5328000000000, 185000000000), (261, 2, 5356800000000, 186000000000), (262, 2, 5385600000000, 187000000000), (263, 2, 5414400000000, 188000000000), (264, 1, 5443200000000, 189000000000), (265, 1, 5443200000000, 189000000000), (266, 2, 5443200000000, 189000000000), (267, 2, 5472000000000, 190000000000), (268, 2, 5500800000000, 191000000000), (269, 2, 5529600000000, 192000000000), (270, 2, 5558400000000, 193000000000), (271, 1, 5587200000000, 194000000000), (272, 1, 5587200000000, 194000000000), (273, 2, 5587200000000, 194000000000), (274, 2, 5616000000000, 195000000000), (275, 2, 5644800000000, 196000000000), (276, 2, 5673600000000, 197000000000), (277, 2, 5702400000000, 198000000000), (278, 1, 5731200000000, 199000000000), (279, 1, 5731200000000, 199000000000), (280, 2, 5731200000000, 199000000000), (281, 2, 5760000000000, 200000000000), (282, 2, 5788800000000, 201000000000), (283, 2, 5817600000000, 202000000000), (284, 2, 5846400000000, 203000000000), (285, 1, 5875200000000, 204000000000), (286, 1, 5875200000000, 204000000000), (287, 2, 5875200000000, 204000000000), (288, 2, 5904000000000, 205000000000), (289, 2, 5932800000000, 206000000000), (290, 2, 5961600000000, 207000000000), (291, 2, 5990400000000, 208000000000), (292, 1, 6019200000000, 209000000000), (293, 1, 6019200000000, 209000000000), (294, 2, 6019200000000, 209000000000), (295, 2, 6048000000000, 210000000000), (296, 2, 6076800000000, 211000000000), (297, 2, 6105600000000, 212000000000), (298, 2, 6134400000000, 213000000000), (299, 1, 6163200000000, 214000000000), (300, 1, 6163200000000, 214000000000), (301, 0, 6163200000000, 214000000000), (302, 0, 6192000000000, 215000000000), (303, 0, 6220800000000, 216000000000), (304, 0, 6249600000000, 217000000000), (305, 0, 6278400000000, 218000000000), (306, 1, 6307200000000, 219000000000), (307, 1, 6307200000000, 219000000000), (308, 0, 6307200000000, 219000000000), (309, 0, 6336000000000, 220000000000), (310, 0, 6364800000000, 221000000000), (311, 0, 6393600000000, 222000000000), (312, 0, 6422400000000, 223000000000), (313, 1, 6451200000000, 224000000000), (314, 1, 6451200000000, 224000000000), (315, 0, 6451200000000, 224000000000), (316, 0, 6480000000000, 225000000000), (317, 0, 6508800000000, 226000000000), (318, 0, 6537600000000, 227000000000), (319, 0, 6566400000000, 228000000000), (320, 1, 6595200000000, 229000000000), (321, 1, 6595200000000, 229000000000), (322, 0, 6595200000000, 229000000000), (323, 0, 6624000000000, 230000000000), (324, 0, 6652800000000, 231000000000), (325, 0, 6681600000000, 232000000000), (326, 0, 6710400000000, 233000000000), (327, 1, 6739200000000, 234000000000), (328, 1, 6739200000000, 234000000000), (329, 0, 6739200000000, 234000000000), (330, 0, 6768000000000, 235000000000), (331, 0, 6796800000000, 236000000000), (332, 0, 6825600000000, 237000000000), (333, 0, 6854400000000, 238000000000), (334, 1, 6883200000000, 239000000000), (335, 1, 6883200000000, 239000000000), (336, 0, 6883200000000, 239000000000), (337, 0, 6912000000000, 240000000000), (338, 0, 6940800000000, 241000000000), (339, 0, 6969600000000, 242000000000), (340, 0, 6998400000000, 243000000000), (341, 1, 7027200000000, 244000000000), (342, 1, 7027200000000, 244000000000), (343, 0, 7027200000000, 244000000000), (344, 0, 7056000000000, 245000000000), (345, 0, 7084800000000, 246000000000), (346, 0, 7113600000000, 247000000000), (347, 0, 7142400000000, 248000000000), (348, 1, 7171200000000, 249000000000), (349, 1, 7171200000000, 249000000000), (350, 0, 7171200000000, 249000000000), (351, 0, 7200000000000, 250000000000), (352, 0, 7228800000000, 251000000000), (353, 0, 7257600000000, 252000000000), (354, 0, 7286400000000, 253000000000), (355, 1, 7315200000000, 254000000000), (356, 1, 7315200000000, 254000000000), (357, 0, 7315200000000, 254000000000), (358, 0, 7344000000000, 255000000000), (359, 0, 7372800000000, 256000000000), (360, 0, 7401600000000, 257000000000), (361, 0, 7430400000000, 258000000000), (362, 1, 7459200000000, 259000000000), (363, 1, 7459200000000, 259000000000), (364, 0, 7459200000000, 259000000000), (365, 0, 7488000000000, 260000000000), (366, 0, 7516800000000, 261000000000) AS literals(utc_day, pattern, us_before, nano_before)),
working_hours AS (SELECT * FROM VALUES (CAST(0 AS BIGINT), CAST(28800000000 AS BIGINT), CAST(25200000000 AS BIGINT), CAST(39600000000 AS BIGINT), CAST(43200000000 AS BIGINT), CAST(57600000000 AS BIGINT)), (1, 1, 0, 0, 0, 0), (2, 28800000000, 21600000000, 36000000000, 39600000000, 54000000000) AS literals(pattern, w0, s0_0, e0_0, s0_1, e0_1)),
working AS (SELECT working_days.utc_day, us_before, nano_before, w0, s0_0, e0_0, s0_1, e0_1
  FROM working_days JOIN working_hours ON working_hours.pattern = working_days.pattern),
held_values AS (SELECT f, v, visible_id, now0, min(from_us) AS first_us, CASE WHEN min(from_us) <> -4611686018427387904 THEN sum((CAST(wb.nano_before AS DOUBLE) + round(CAST((CASE WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.e0_0 THEN wb.e0_0 - wb.s0_0 WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.s0_0 THEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) - wb.s0_0 ELSE 0 END + CASE WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.e0_1 THEN wb.e0_1 - wb.s0_1 WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.s0_1 THEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) - wb.s0_1 ELSE 0 END) AS DOUBLE) * 1000000000E0 / CAST(wb.w0 AS DOUBLE))) - (CAST(wa.nano_before AS DOUBLE) + round(CAST((CASE WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.e0_0 THEN wa.e0_0 - wa.s0_0 WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.s0_0 THEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) - wa.s0_0 ELSE 0 END + CASE WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.e0_1 THEN wa.e0_1 - wa.s0_1 WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.s0_1 THEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) - wa.s0_1 ELSE 0 END) AS DOUBLE) * 1000000000E0 / CAST(wa.w0 AS DOUBLE)))) END AS held_days, CASE WHEN min(from_us) <> -4611686018427387904 THEN sum(CAST((wb.us_before + (CASE WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.e0_0 THEN wb.e0_0 - wb.s0_0 WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.s0_0 THEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) - wb.s0_0 ELSE 0 END + CASE WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.e0_1 THEN wb.e0_1 - wb.s0_1 WHEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) > wb.s0_1 THEN (CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000 - wb.utc_day * 86400000000) - wb.s0_1 ELSE 0 END)) AS DOUBLE) - CAST((wa.us_before + (CASE WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.e0_0 THEN wa.e0_0 - wa.s0_0 WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.s0_0 THEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) - wa.s0_0 ELSE 0 END + CASE WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.e0_1 THEN wa.e0_1 - wa.s0_1 WHEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) > wa.s0_1 THEN (from_us - 1704067200000000 - wa.utc_day * 86400000000) - wa.s0_1 ELSE 0 END)) AS DOUBLE)) END AS held_hours, count(*) AS intervals
  FROM intervals
  LEFT JOIN working wa ON wa.utc_day = ((from_us - 1704067200000000) div 86400000000)
  LEFT JOIN working wb ON wb.utc_day = ((CASE WHEN to_us IS NULL OR to_us > 1735689600000000 THEN 1735689600000000 ELSE to_us END - 1704067200000000) div 86400000000) WHERE from_us <= 1735689600000000 GROUP BY f, v, visible_id, now0)
SELECT f AS `id`,
  visible_id AS `visible_id`,
  CASE WHEN CASE WHEN v = '=' THEN now0 ELSE v END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN v = '=' THEN now0 ELSE v END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN v = '=' THEN now0 ELSE v END, '}'), 'v STRING').v
    ELSE CASE WHEN v = '=' THEN now0 ELSE v END END AS `value`,
  CASE WHEN v = '?' THEN 'unknown' WHEN substr(v, 1, 1) = '=' THEN 'unchanged' WHEN v = 'null' THEN 'cleared' ELSE 'logged' END AS `state`,
  CAST(held_days AS DOUBLE) / 1000000000 AS `days`,
  CAST(held_hours AS DOUBLE) / 3600000000 AS `hours`,
  intervals AS `intervals`
FROM held_values ORDER BY f, first_us;

-- intervals("STATUS")
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now0
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
ranked AS (SELECT f AS changed, id, us, v, lead(us) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_us,
    row_number() OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS n FROM changes),
starts AS (SELECT f, visible_id, now0, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '=' ELSE '?' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us))))),
edges AS (SELECT f, visible_id, now0, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM starts),
intervals AS (SELECT f, visible_id, now0, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v),
dated AS (SELECT *, date_from_unix_date(CAST(floor((nullif(from_us, -4611686018427387904) + CASE WHEN nullif(from_us, -4611686018427387904) >= 1711846800000000 THEN 7200000000 ELSE 3600000000 END) / 86400000000) AS INT)) AS local_date FROM intervals)
SELECT f AS `id`,
  visible_id AS `visible_id`,
  CASE WHEN CASE WHEN v = '=' THEN now0 ELSE v END IN ('null', '?') THEN NULL WHEN substr(CASE WHEN v = '=' THEN now0 ELSE v END, 1, 1) = '"' THEN from_json(concat('{"v":', CASE WHEN v = '=' THEN now0 ELSE v END, '}'), 'v STRING').v
    ELSE CASE WHEN v = '=' THEN now0 ELSE v END END AS `value`,
  CASE WHEN v = '?' THEN 'unknown' WHEN substr(v, 1, 1) = '=' THEN 'unchanged' WHEN v = 'null' THEN 'cleared' ELSE 'logged' END AS `state`,
  timestamp_micros(nullif(from_us, -4611686018427387904)) AS `valid_from`,
  timestamp_micros(to_us) AS `valid_to`,
  CAST(id AS STRING) AS `change_id`,
  nullif(from_us, -4611686018427387904) AS `valid_from_us`,
  to_us AS `valid_to_us`,
  local_date AS `local_date`
FROM dated ORDER BY f, from_us;

-- lateEdits()
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v, c.property_key AS k
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
passed AS (SELECT f, id, us, col, v, max(us) OVER (PARTITION BY f, k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS overtaken_us
  FROM changes WHERE us IS NOT NULL),
late AS (SELECT passed.f, id, us, col, v, overtaken_us FROM passed JOIN feat ON feat.f = passed.f WHERE overtaken_us > us),
cols AS (SELECT * FROM VALUES (0, 'Depth'), (1, 'STATUS') AS literals(named, name)),
timed AS (SELECT late.*, name, overtaken_us - us AS late_days FROM late JOIN cols ON named = col)
SELECT CAST(id AS STRING) AS `change_id`,
  f AS `id`,
  name AS `column`,
  CASE WHEN v IN ('null', '?') THEN NULL WHEN substr(v, 1, 1) = '"' THEN from_json(concat('{"v":', v, '}'), 'v STRING').v
    ELSE v END AS `value`,
  timestamp_micros(us) AS `created_at`,
  timestamp_micros(overtaken_us) AS `overtaken_created_at`,
  CAST(late_days AS DOUBLE) / 86400000000 AS `late_by_days`
FROM timed ORDER BY change_id;

-- lateEntries({"moreThan":"P7D"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
recorded AS (SELECT changes.f AS f, feat.visible_id, id, us, col, v, CASE WHEN substr(id, 15, 1) = '7' AND substr(id, 20, 1) IN ('8', '9', 'a', 'b') THEN 1000 * CAST(conv(concat(substr(id, 1, 8), substr(id, 10, 4)), 16, 10) AS BIGINT) END AS recorded_us
  FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL),
cols AS (SELECT * FROM VALUES (0, 'Depth'), (1, 'STATUS') AS literals(named, name))
SELECT CAST(id AS STRING) AS `change_id`,
  f AS `id`,
  visible_id AS `visible_id`,
  name AS `column`,
  CASE WHEN v IN ('null', '?') THEN NULL WHEN substr(v, 1, 1) = '"' THEN from_json(concat('{"v":', v, '}'), 'v STRING').v
    ELSE v END AS `value`,
  timestamp_micros(us) AS `created_at`,
  timestamp_micros(recorded_us) AS `recorded_at`,
  CAST(recorded_us - us AS DOUBLE) / 86400000000 AS `late_by_days`
FROM recorded JOIN cols ON named = col WHERE recorded_us - us > 604800000000 ORDER BY change_id;

-- panel({"from":"2024-05-31","until":"2024-06-05","every":"day"}, {"columns":["STATUS"],"credits":{"DONE":1},"weight":"Depth"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, feat.now1, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
grid0 AS (SELECT * FROM VALUES (CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(1717192799999999 AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)), (0, 1, 1, 1717279199999999, NULL, NULL, NULL), (0, 2, 2, 1717365599999999, NULL, NULL, NULL), (0, 3, 3, 1717451999999999, NULL, NULL, NULL), (0, 4, 4, 1717538399999999, NULL, NULL, NULL), (0, 5, 5, 1717624799999999, NULL, NULL, NULL) AS literals(node, bucket, base, t, cut, cut_from, cut_width)),
placed AS (SELECT f, col, id, us, v, CASE WHEN us <= 1717192799999999 THEN 0 WHEN us <= 1717624799999999 THEN CASE WHEN p0.bucket IS NOT NULL THEN p0.base + CASE WHEN us > p0.t THEN 1 ELSE 0 END END ELSE 6 END AS place FROM changes
  LEFT JOIN grid0 p0 ON p0.node = 0 AND p0.bucket = ((us - 1717192799999999) div 86400000000)),
followed AS (SELECT f, col, place, v, lead(place) OVER (PARTITION BY f, col ORDER BY us NULLS LAST, id) AS next_place
  FROM placed),
lasts AS (SELECT f, col, place, v FROM followed WHERE next_place IS NULL OR next_place <> place),
dates AS (SELECT * FROM VALUES (0, 0, '2024-05-31'), (1, 1, '2024-06-01'), (2, 2, '2024-06-02'), (3, 3, '2024-06-03'), (4, 4, '2024-06-04'), (5, 5, '2024-06-05') AS literals(asked, date_place, date_text)),
nexts AS (SELECT f, col, place, v, lead(place) OVER (PARTITION BY f, col ORDER BY place) AS until, row_number() OVER (PARTITION BY f, col ORDER BY place) AS n FROM lasts),
intervals AS (SELECT f, col, CASE WHEN side = 1 THEN v ELSE '?' END AS v, CASE WHEN side = 1 THEN place ELSE 0 END AS place,
    CASE WHEN side = 1 THEN coalesce(until, 6) ELSE place END AS until
  FROM nexts CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides WHERE side = 1 OR n = 1),
logged AS (SELECT f AS changed, asked AS changed_date, max(CASE WHEN col = 0 THEN v END) AS v0, max(CASE WHEN col = 1 THEN v END) AS v1
  FROM intervals JOIN dates ON date_place >= place AND date_place < until GROUP BY f, asked),
appearing AS (SELECT f, visible_id, now0, now1, CASE WHEN from_us <= 1717192799999999 THEN 0 WHEN from_us <= 1717624799999999 THEN CASE WHEN a0.bucket IS NOT NULL THEN a0.base + CASE WHEN from_us > a0.t THEN 1 ELSE 0 END END ELSE 6 END AS appears FROM present
  LEFT JOIN grid0 a0 ON a0.node = 0 AND a0.bucket = ((from_us - 1717192799999999) div 86400000000)),
cells AS (SELECT f, visible_id, now0, now1, asked, date_text FROM appearing JOIN dates ON date_place >= appears)
SELECT date_text AS `date`,
  f AS `id`,
  visible_id AS `visible_id`,
  CASE WHEN coalesce(v1, now1) IN ('null', '?') THEN NULL WHEN substr(coalesce(v1, now1), 1, 1) = '"' THEN from_json(concat('{"v":', coalesce(v1, now1), '}'), 'v STRING').v
    ELSE coalesce(v1, now1) END AS `STATUS`,
  CASE WHEN CAST(TRY_CAST(coalesce(v0, now0) AS DOUBLE) AS DOUBLE) >= 0 THEN CAST(TRY_CAST(coalesce(v0, now0) AS DOUBLE) AS DOUBLE) END AS `weight`,
  'Depth' AS `unit`,
  (CASE WHEN CAST(TRY_CAST(coalesce(v0, now0) AS DOUBLE) AS DOUBLE) >= 0 THEN CAST(TRY_CAST(coalesce(v0, now0) AS DOUBLE) AS DOUBLE) END) * CAST(CASE WHEN coalesce(v1, now1) IN ('null', '?') THEN NULL WHEN coalesce(v1, now1) = '"DONE"' THEN 1 ELSE 0 END AS DOUBLE) AS `earned`
FROM cells LEFT JOIN logged ON changed = f AND changed_date = asked
ORDER BY cells.asked, cells.f;

-- editsByUser()
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v, c.user_id AS user_id, c.`system` AS is_system
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
edits AS (SELECT user_id, is_system, us FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)
SELECT user_id, is_system AS `system`, count(*) AS edits, timestamp_micros(min(us)) AS first_at,
  timestamp_micros(max(us)) AS last_at
FROM edits GROUP BY user_id, is_system ORDER BY is_system, user_id NULLS FIRST;

-- firstReached("STATUS", "DONE")
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now0
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
ranked AS (SELECT f AS changed, id, us, v, lead(us) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_us,
    row_number() OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS n FROM changes),
starts AS (SELECT f, visible_id, now0, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '=' ELSE '?' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us))))),
edges AS (SELECT f, visible_id, now0, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM starts),
intervals AS (SELECT f, visible_id, now0, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v),
earliest AS (SELECT *, row_number() OVER (PARTITION BY f ORDER BY from_us) AS nth FROM intervals WHERE CASE WHEN v = '=' THEN now0 ELSE v END = '"DONE"'),
reached AS (SELECT f, visible_id, CASE WHEN v <> '=' THEN from_us END AS from_us, CASE WHEN v <> '=' THEN CAST(id AS STRING) END AS change_id FROM earliest WHERE nth = 1)
SELECT f AS `id`,
  visible_id AS `visible_id`,
  timestamp_micros(nullif(from_us, -4611686018427387904)) AS `reached_at`,
  change_id AS `change_id`,
  nullif(from_us, -4611686018427387904) AS `reached_at_us`
FROM reached ORDER BY f;

-- reconcile()
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
ends AS (SELECT f AS changed, col, coalesce(max_by(v, struct(us, id)) FILTER (WHERE us <= 1735689600000000), 'null') AS valid, max_by(v, id) AS inserted
  FROM changes WHERE us IS NOT NULL GROUP BY f, col),
matched AS (SELECT f, col, valid, inserted, CASE col WHEN 0 THEN now0 WHEN 1 THEN now1 END AS now FROM ends JOIN feat ON f = changed),
compared AS (SELECT f, col, valid, valid = now AS is_valid, inserted = now AS is_inserted FROM matched),
cols AS (SELECT * FROM VALUES (0, 'Depth'), (1, 'STATUS') AS literals(named, name))
SELECT name AS `column`,
  count(col) AS `pairs`,
  count(CASE WHEN is_valid THEN 1 END) AS `valid`,
  count(CASE WHEN is_inserted THEN 1 END) AS `insertion`,
  count(CASE WHEN is_valid AND is_inserted THEN 1 END) AS `both`,
  count(CASE WHEN NOT is_valid AND NOT is_inserted THEN 1 END) AS `neither`
FROM cols LEFT JOIN compared ON col = named GROUP BY named, name ORDER BY named;

-- states("2024-06-03")
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, feat.now0, feat.now1, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v, c.user_id AS user_id, c.`system` AS is_system
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
decided AS (SELECT f, col, max_by(named_struct('v', v, 'id', id, 'us', us, 'user_id', user_id, 'is_system', is_system), struct(us, id)) FILTER (WHERE us <= 1717451999999999) AS last_change
  FROM changes GROUP BY f, col),
deciding AS (SELECT f, col, last_change.v AS v, last_change.id AS id, last_change.us AS us, last_change.user_id AS user_id, last_change.is_system AS is_system FROM decided),
cols AS (SELECT * FROM VALUES (0, 'Depth'), (1, 'STATUS') AS literals(col, name)),
states AS (SELECT present.f, visible_id, cols.col, cols.name, id, us, user_id, is_system,
    CASE WHEN from_us > 1717451999999999 THEN 'absent' WHEN deciding.f IS NULL THEN 'unchanged' WHEN deciding.v IS NULL THEN 'unknown' WHEN deciding.v = 'null' THEN 'cleared' ELSE 'logged' END AS state,
    CASE WHEN from_us <= 1717451999999999 THEN CASE WHEN deciding.v IS NOT NULL THEN deciding.v WHEN deciding.f IS NULL THEN CASE cols.col WHEN 0 THEN now0 WHEN 1 THEN now1 END END END AS value
  FROM present CROSS JOIN cols LEFT JOIN deciding ON deciding.f = present.f AND deciding.col = cols.col)
SELECT f AS `id`,
  visible_id AS `visible_id`,
  name AS `column`,
  CASE WHEN value IN ('null', '?') THEN NULL WHEN substr(value, 1, 1) = '"' THEN from_json(concat('{"v":', value, '}'), 'v STRING').v
    ELSE value END AS `value`,
  state AS `state`,
  id AS `change_id`,
  timestamp_micros(us) AS `changed_at`,
  us AS `changed_at_us`,
  user_id AS `user_id`,
  is_system AS `system`
FROM states WHERE state <> 'absent' ORDER BY f, col;

-- steps("STATUS", {"order":["OPEN","DONE"]})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, f.visible_id AS visible_id
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.visible_id, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v, c.user_id AS user_id, c.`system` AS is_system
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
ranked AS (SELECT f AS changed, id, us, v, user_id, is_system, lead(us) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_us,
    row_number() OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS n FROM changes),
starts AS (SELECT f, visible_id, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN user_id END AS user_id, CASE WHEN side = 1 THEN is_system END AS is_system, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '=' ELSE '?' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us))))),
edges AS (SELECT f, visible_id, user_id, is_system, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM starts),
intervals AS (SELECT f, visible_id, user_id, is_system, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v),
followed AS (SELECT f, visible_id, user_id, is_system, id, lag(v) OVER (PARTITION BY f ORDER BY from_us) AS a, v AS b, from_us AS us, from_us - lag(from_us) OVER (PARTITION BY f ORDER BY from_us) AS held FROM intervals),
moves AS (SELECT * FROM followed WHERE a IS NOT NULL AND a NOT IN ('=', '?')),
steps AS (SELECT moves.*, us - (us - held) AS held_days FROM moves)
SELECT f AS `id`,
  visible_id AS `visible_id`,
  CASE WHEN a IN ('null', '?') THEN NULL WHEN substr(a, 1, 1) = '"' THEN from_json(concat('{"v":', a, '}'), 'v STRING').v
    ELSE a END AS `from`,
  CASE WHEN b IN ('null', '?') THEN NULL WHEN substr(b, 1, 1) = '"' THEN from_json(concat('{"v":', b, '}'), 'v STRING').v
    ELSE b END AS `to`,
  CAST(held_days AS DOUBLE) / 86400000000 AS `days`,
  CAST(id AS STRING) AS `change_id`,
  timestamp_micros(us) AS `changed_at`,
  us AS `changed_at_us`,
  user_id AS `user_id`,
  is_system AS `system`,
  CASE b WHEN '"OPEN"' THEN 0 WHEN '"DONE"' THEN 1 END < CASE a WHEN '"OPEN"' THEN 0 WHEN '"DONE"' THEN 1 END AS `backward`
FROM steps ORDER BY f, us;

-- totals("Depth", {"from":"2024-05-31","until":"2024-06-05","every":"day"}, {"by":"STATUS"})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us, coalesce(try_element_at(f.properties, 'cccccccc-0000-7000-8000-000000000001'), 'null') AS now0, coalesce(try_element_at(f.properties, 'STATUS'), 'null') AS now1
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, feat.now0, feat.now1, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
keymap AS (SELECT * FROM VALUES (CAST(NULL AS STRING), -1), ('cccccccc-0000-7000-8000-000000000001', 0), ('STATUS', 1) AS literals(k, col)),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, keymap.col AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c JOIN keymap ON keymap.k = c.property_key WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3),
grid0 AS (SELECT * FROM VALUES (CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(1717192799999999 AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT)), (0, 1, 1, 1717279199999999, NULL, NULL, NULL), (0, 2, 2, 1717365599999999, NULL, NULL, NULL), (0, 3, 3, 1717451999999999, NULL, NULL, NULL), (0, 4, 4, 1717538399999999, NULL, NULL, NULL), (0, 5, 5, 1717624799999999, NULL, NULL, NULL) AS literals(node, bucket, base, t, cut, cut_from, cut_width)),
placed AS (SELECT f, id, us, CASE WHEN col = 0 THEN v END AS vc, CASE WHEN col = 1 THEN v END AS vg, CASE WHEN us <= 1717192799999999 THEN 0 WHEN us <= 1717624799999999 THEN CASE WHEN p0.bucket IS NOT NULL THEN p0.base + CASE WHEN us > p0.t THEN 1 ELSE 0 END END ELSE 6 END AS place
  FROM changes
  LEFT JOIN grid0 p0 ON p0.node = 0 AND p0.bucket = ((us - 1717192799999999) div 86400000000)),
counted AS (SELECT f, place, vc, vg, lead(place) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_place,
    count(vc) OVER (PARTITION BY f ORDER BY us NULLS LAST, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS nc, count(vg) OVER (PARTITION BY f ORDER BY us NULLS LAST, id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS ng,
    count(vc) OVER (PARTITION BY f) AS all_c, count(vg) OVER (PARTITION BY f) AS all_g FROM placed),
filled AS (SELECT f, place, next_place, all_c, all_g,
    max(vc) OVER (PARTITION BY f, nc) AS vc, max(vg) OVER (PARTITION BY f, ng) AS vg FROM counted),
seen AS (SELECT f AS changed, place, vc, vg, all_c, all_g,
    lag(vc) OVER (PARTITION BY f ORDER BY place) AS vc_before, lag(vg) OVER (PARTITION BY f ORDER BY place) AS vg_before, row_number() OVER (PARTITION BY f ORDER BY place) AS n
  FROM filled WHERE next_place IS NULL OR next_place <> place),
appearing AS (SELECT f, now0, now1, CASE WHEN from_us <= 1717192799999999 THEN 0 WHEN from_us <= 1717624799999999 THEN CASE WHEN a0.bucket IS NOT NULL THEN a0.base + CASE WHEN from_us > a0.t THEN 1 ELSE 0 END END ELSE 6 END AS appears FROM present
  LEFT JOIN grid0 a0 ON a0.node = 0 AND a0.bucket = ((from_us - 1717192799999999) div 86400000000)),
raw_events AS (SELECT f, side, CASE WHEN side = 1 THEN place ELSE appears END AS place, vc, vc_before, vg, vg_before,
    CASE WHEN all_c > 0 THEN '?' ELSE concat('=', now0) END AS v0, CASE WHEN all_g > 0 THEN '?' ELSE concat('=', now1) END AS g0
  FROM appearing LEFT JOIN seen ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND place < 6) OR (side = 0 AND appears < 6 AND (changed IS NULL OR n = 1))),
events AS (SELECT f, place, CASE WHEN side = 1 THEN coalesce(vc, v0) ELSE v0 END AS v,
    CASE WHEN side = 1 THEN coalesce(vc_before, v0) END AS v_before, CASE WHEN side = 1 THEN coalesce(vg, g0) ELSE g0 END AS g,
    CASE WHEN side = 1 THEN coalesce(vg_before, g0) END AS g_before
  FROM raw_events),
deltas AS (SELECT f, place, step, CASE WHEN step = 1 THEN v ELSE v_before END AS v, CASE WHEN step = 1 THEN g ELSE g_before END AS g
  FROM events CROSS JOIN (SELECT * FROM VALUES (1), (-1) AS literals(step)) AS signs WHERE (step = 1 AND v IS NOT NULL) OR (step = -1 AND v_before IS NOT NULL)),
numbers AS (SELECT f, place, step, v, g, plain, CAST(TRY_CAST(plain AS DOUBLE) AS DOUBLE) AS number
  FROM (SELECT f, place, step, v, g, CASE WHEN substr(v, 1, 1) = '=' THEN substr(v, 2) ELSE v END AS plain FROM deltas) decoded),
sums AS (SELECT place, CASE WHEN g = '?' THEN 'null' ELSE CASE WHEN substr(g, 1, 1) = '=' THEN substr(g, 2) ELSE g END END AS g, coalesce(sum(step * number), 0) AS total, sum(CASE WHEN number IS NULL THEN 0 ELSE step END) AS counted, sum(CASE WHEN v = '?' THEN step ELSE 0 END) AS unknown, sum(step) AS present, sum(CASE WHEN number IS NULL AND plain NOT IN ('null', '?') THEN step ELSE 0 END) AS other FROM numbers GROUP BY place, CASE WHEN g = '?' THEN 'null' ELSE CASE WHEN substr(g, 1, 1) = '=' THEN substr(g, 2) ELSE g END END),
dates AS (SELECT * FROM VALUES (0, 0, '2024-05-31'), (1, 1, '2024-06-01'), (2, 2, '2024-06-02'), (3, 3, '2024-06-03'), (4, 4, '2024-06-04'), (5, 5, '2024-06-05') AS literals(asked, date_place, date_text)),
dated AS (SELECT asked, date_text, g, sum(total) AS total, sum(counted) AS counted, sum(unknown) AS unknown, sum(present) AS present, sum(other) AS other
  FROM dates JOIN sums ON date_place >= place GROUP BY asked, date_text, g)
SELECT date_text AS `date`, CASE WHEN g IN ('null', '?') THEN NULL WHEN substr(g, 1, 1) = '"' THEN from_json(concat('{"v":', g, '}'), 'v STRING').v
    ELSE g END AS `STATUS`, CASE WHEN counted = 0 THEN 0 ELSE total END AS `sum`, counted AS `count`, dated.unknown AS `unknown`
FROM dated WHERE present > 0 ORDER BY dated.asked, dated.g;

-- transitions("STATUS", {"order":["OPEN","DONE"]})
WITH feat AS (SELECT f.id AS f, unix_micros(f.created_at) AS created_us
  FROM layer_features f WHERE (f.site_id IN (12)) AND f.id BETWEEN 1 AND 3),
firsts AS (SELECT c.layer_feature_id AS f, min(unix_micros(c.created_at)) AS first_us
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 GROUP BY c.layer_feature_id),
present AS (SELECT feat.f, CASE WHEN created_us IS NULL THEN -4611686018427387904
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f),
changes AS (SELECT c.layer_feature_id AS f, c.id AS id, unix_micros(c.created_at) AS us, 1 AS col, coalesce(c.new_value, 'null') AS v
  FROM property_changes c WHERE (c.site_id IN (12)) AND c.layer_feature_id BETWEEN 1 AND 3 AND (c.property_key IN ('STATUS'))),
ranked AS (SELECT f AS changed, id, us, v, lead(us) OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS next_us,
    row_number() OVER (PARTITION BY f ORDER BY us NULLS LAST, id) AS n FROM changes),
starts AS (SELECT f, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '=' ELSE '?' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN (SELECT * FROM VALUES (0), (1) AS literals(side)) AS sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us))))),
edges AS (SELECT f, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM starts),
intervals AS (SELECT f, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v),
followed AS (SELECT f, id, lag(v) OVER (PARTITION BY f ORDER BY from_us) AS a, v AS b, from_us AS us, from_us - lag(from_us) OVER (PARTITION BY f ORDER BY from_us) AS held FROM intervals),
moves AS (SELECT * FROM followed WHERE a IS NOT NULL AND a NOT IN ('=', '?')),
ordered AS (SELECT a, b, held, row_number() OVER (PARTITION BY a, b ORDER BY held) AS place,
    count(*) OVER (PARTITION BY a, b) AS n FROM moves),
medians AS (SELECT a, b, n, avg(CAST(held AS DOUBLE)) AS median_us
  FROM ordered WHERE place IN (((n + 1) div 2), ((n + 2) div 2)) GROUP BY a, b, n)
SELECT CASE WHEN a IN ('null', '?') THEN NULL WHEN substr(a, 1, 1) = '"' THEN from_json(concat('{"v":', a, '}'), 'v STRING').v
    ELSE a END AS `from`,
  CASE WHEN b IN ('null', '?') THEN NULL WHEN substr(b, 1, 1) = '"' THEN from_json(concat('{"v":', b, '}'), 'v STRING').v
    ELSE b END AS `to`,
  n AS `count`,
  median_us / 86400000000 AS `median_days`,
  CASE b WHEN '"OPEN"' THEN 0 WHEN '"DONE"' THEN 1 END < CASE a WHEN '"OPEN"' THEN 0 WHEN '"DONE"' THEN 1 END AS `backward`
FROM medians ORDER BY n DESC, a, b;
