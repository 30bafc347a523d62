/**
 * Rows of an account get a foreign key to it. The key takes a lock on the account that only its removal waits for.
 * Rows without an account are kept: the account is created, so that no later account gets the same id. An invalid id
 * (0 and below) becomes an account with a new id.
 *
 * @module
 */

const OWNED = ['api_keys', 'contacts', 'monitors', 'incidents', 'notifications'].map(
  (table) => `watchpost.${table}`,
)

const strays = `
LOCK TABLE watchpost.accounts, ${OWNED.join(', ')} IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE watchpost.strays AS
  SELECT account_id AS was, CASE WHEN account_id > 0 THEN account_id END AS id
  FROM (${OWNED.map((table) => `SELECT account_id FROM ${table}`).join(' UNION ')}) AS used
  WHERE NOT EXISTS (SELECT 1 FROM watchpost.accounts AS a WHERE a.id = account_id);
INSERT INTO watchpost.accounts (id, name, created_at) OVERRIDING SYSTEM VALUE
  SELECT id, 'account ' || id, (extract(epoch FROM now()) * 1000)::bigint
  FROM watchpost.strays WHERE id IS NOT NULL;
SELECT setval(pg_get_serial_sequence('watchpost.accounts', 'id'), max(id))
  FROM watchpost.accounts HAVING max(id) >= (SELECT last_value FROM watchpost.accounts_id_seq);
INSERT INTO watchpost.accounts (name, created_at)
  SELECT 'was account ' || was, (extract(epoch FROM now()) * 1000)::bigint
  FROM watchpost.strays WHERE id IS NULL;
UPDATE watchpost.strays SET id = (
    SELECT max(a.id) FROM watchpost.accounts AS a WHERE a.name = 'was account ' || was)
  WHERE id IS NULL;
${OWNED.map(
  (table) => `UPDATE ${table} SET account_id = strays.id FROM watchpost.strays AS strays
  WHERE account_id = strays.was AND strays.was <> strays.id;`,
).join('\n')}
DROP TABLE watchpost.strays;
`

const references = OWNED.map(
  (table) =>
    `ALTER TABLE ${table} ADD FOREIGN KEY (account_id) REFERENCES watchpost.accounts (id);`,
)

export const owners: string = [strays, ...references].join('\n')
