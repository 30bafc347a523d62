/**
 * Accounts are removed in steps. The account's row stays until the last step, for the foreign keys to it.
 *
 * @module
 */

export const removals = `
ALTER TABLE accounts ADD COLUMN removing INTEGER NOT NULL DEFAULT 0;
CREATE INDEX accounts_removing ON accounts (id) WHERE removing = 1;
`
