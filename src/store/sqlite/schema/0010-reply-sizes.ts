/**
 * The sizes of stored responses, so that those of an account are counted and summed without reading them.
 *
 * @module
 */

export const replySizes = `
ALTER TABLE replies ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE replies SET bytes = length(CAST(body AS BLOB));
CREATE INDEX replies_account ON replies (account_id, expires_at, bytes);
`
