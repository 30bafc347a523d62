/**
 * The host's own id of an account, its quotas, and the check rate of a monitor by its settings: locations times 60
 * divided by the interval, repeated from `common` so that it can be summed. Extracted by pattern: a row with damaged
 * JSON does not fail the step. The index is partial, so that no foreign key to an account waits for a change of its
 * `external_id`.
 *
 * @module
 */

export const quotas = `
ALTER TABLE watchpost.accounts ADD COLUMN external_id text;
ALTER TABLE watchpost.accounts ADD COLUMN quotas text NOT NULL DEFAULT '{}';
CREATE UNIQUE INDEX accounts_external ON watchpost.accounts (external_id)
  WHERE external_id IS NOT NULL;
ALTER TABLE watchpost.monitors ADD COLUMN checks_per_min double precision NOT NULL DEFAULT 0;
UPDATE watchpost.monitors SET checks_per_min = COALESCE(
    array_length(string_to_array(substring(common from '"location_ids":[[]([0-9,]+)'), ','), 1) * 60.0
      / NULLIF(substring(common from '"interval_sec":([0-9]+)')::double precision, 0), 0);
`
