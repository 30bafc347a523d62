/**
 * Accounts are removed in steps. The account's row stays until the last step, for the foreign keys to it.
 *
 * @module
 */

export const removals = `
ALTER TABLE watchpost.accounts ADD COLUMN removing integer NOT NULL DEFAULT 0;
CREATE INDEX accounts_removing ON watchpost.accounts (id) WHERE removing = 1;
`
