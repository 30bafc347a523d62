/**
 * A big account goes in steps. Until the last one its row stays, for those that refer to it.
 *
 * @module
 */

export const removals = `
ALTER TABLE watchpost.accounts ADD COLUMN removing integer NOT NULL DEFAULT 0;
CREATE INDEX accounts_removing ON watchpost.accounts (id) WHERE removing = 1;
`
