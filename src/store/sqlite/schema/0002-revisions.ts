/**
 * A revision per monitor, so that engines that share a store never build on what another has changed; and
 * what is known of an incident besides its causes.
 *
 * @module
 */

export const revisions = `
ALTER TABLE monitors ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE incidents ADD COLUMN suppressed_by INTEGER;
ALTER TABLE incidents ADD COLUMN acknowledged_at INTEGER;
`
