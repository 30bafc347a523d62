/**
 * A big account goes in steps. Until the last one its row stays, for those that refer to it.
 *
 * @module
 */

export const removals = `
ALTER TABLE accounts ADD COLUMN removing INTEGER NOT NULL DEFAULT 0;
CREATE INDEX accounts_removing ON accounts (id) WHERE removing = 1;
`
