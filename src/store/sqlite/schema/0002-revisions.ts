/**
 * A revision per monitor, so that engines that share a store detect concurrent changes; and further columns of an
 * incident.
 *
 * @module
 */

export const revisions = `
ALTER TABLE monitors ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE incidents ADD COLUMN suppressed_by INTEGER;
ALTER TABLE incidents ADD COLUMN acknowledged_at INTEGER;
`
