/**
 * The host's own id of an account, its quotas, and the check rate of a monitor by its settings: locations times 60
 * divided by the interval, repeated from `common` so that it can be summed.
 *
 * @module
 */

export const quotas = `
ALTER TABLE accounts ADD COLUMN external_id TEXT;
ALTER TABLE accounts ADD COLUMN quotas TEXT NOT NULL DEFAULT '{}';
CREATE UNIQUE INDEX accounts_external ON accounts (external_id) WHERE external_id IS NOT NULL;
ALTER TABLE monitors ADD COLUMN checks_per_min REAL NOT NULL DEFAULT 0;
UPDATE monitors SET checks_per_min = COALESCE(
    json_array_length(common, '$.location_ids') * 60.0 / json_extract(common, '$.interval_sec'), 0)
  WHERE json_valid(common);
`
