/**
 * Rows of an account get a foreign key to it. SQLite cannot add a foreign key to an existing table, so the tables are
 * created again. Rows without an account are kept: the account is created, so that no later account gets the same id.
 * An invalid id (0, a fraction, a text) becomes an account with a new id.
 *
 * @module
 */

/** The largest id that is kept; larger ones leave no room for further ids. */
const LARGEST_ID = 1e15

const OWNED = ['api_keys', 'contacts', 'monitors', 'incidents', 'notifications']

const strays = `
CREATE TABLE strays (was PRIMARY KEY, id INTEGER);
INSERT INTO strays (was)
  SELECT account_id FROM (${OWNED.map((table) => `SELECT account_id FROM ${table}`).join(' UNION ')})
  WHERE account_id NOT IN (SELECT id FROM accounts);
UPDATE strays SET id = was WHERE typeof(was) = 'integer' AND was BETWEEN 1 AND ${LARGEST_ID};
INSERT INTO accounts (id, name, created_at)
  SELECT id, 'account ' || id, unixepoch() * 1000 FROM strays WHERE id IS NOT NULL;
INSERT INTO accounts (name, created_at)
  SELECT 'was account ' || was, unixepoch() * 1000 FROM strays WHERE id IS NULL;
UPDATE strays SET id = (SELECT max(a.id) FROM accounts AS a WHERE a.name = 'was account ' || was)
  WHERE id IS NULL;
${OWNED.map(
  (table) => `UPDATE ${table} SET account_id = (SELECT id FROM strays WHERE was = account_id)
  WHERE account_id IN (SELECT was FROM strays);`,
).join('\n')}
DROP TABLE strays;
`

const ACCOUNT = 'account_id INTEGER NOT NULL REFERENCES accounts (id)'

/** The rows keep their ids, and the sequence continues after the highest id ever used. */
function madeAnew(table: string, columns: readonly string[]): string {
  const names = columns.map((column) => column.split(' ', 1)[0]).join(', ')
  return `
CREATE TABLE new_${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${columns.join(', ')});
INSERT INTO new_${table} (id, ${names}) SELECT id, ${names} FROM ${table} ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'new_${table}';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'new_${table}', seq FROM sqlite_sequence WHERE name = '${table}';
DROP TABLE ${table};
ALTER TABLE new_${table} RENAME TO ${table};
`
}

const records = [
  madeAnew('api_keys', [
    ACCOUNT,
    'name TEXT NOT NULL',
    'prefix TEXT NOT NULL',
    'hash TEXT NOT NULL UNIQUE',
    'created_at INTEGER NOT NULL',
    'last_used_at INTEGER',
    'revoked_at INTEGER',
  ]),
  'CREATE INDEX api_keys_account ON api_keys (account_id);',
  madeAnew('contacts', [
    ACCOUNT,
    'kind TEXT NOT NULL',
    'name TEXT NOT NULL',
    'all_monitors INTEGER NOT NULL',
    'settings TEXT NOT NULL',
    'created_at INTEGER NOT NULL',
    'updated_at INTEGER NOT NULL',
  ]),
  'CREATE INDEX contacts_account ON contacts (account_id);',
  madeAnew('monitors', [
    ACCOUNT,
    'type TEXT NOT NULL',
    'common TEXT NOT NULL',
    'settings TEXT NOT NULL',
    'target TEXT NOT NULL',
    'search TEXT NOT NULL',
    'tags TEXT NOT NULL',
    'token_hash TEXT',
    'token TEXT',
    'created_at INTEGER NOT NULL',
    'updated_at INTEGER NOT NULL',
  ]),
  'CREATE INDEX monitors_account ON monitors (account_id);',
  'CREATE INDEX monitors_token ON monitors (token_hash) WHERE token_hash IS NOT NULL;',
]

const history = [
  madeAnew('incidents', [
    ACCOUNT,
    'monitor_id INTEGER NOT NULL',
    'started_at INTEGER NOT NULL',
    'detected_at INTEGER NOT NULL',
    'ended_at INTEGER',
    'cause_code TEXT NOT NULL',
    'cause_text TEXT NOT NULL',
    'causes TEXT NOT NULL',
    'locations_failed TEXT NOT NULL',
    'closed_reason TEXT',
    'suppressed_by INTEGER',
    'acknowledged_at INTEGER',
  ]),
  'CREATE INDEX incidents_account ON incidents (account_id);',
  'CREATE INDEX incidents_monitor ON incidents (monitor_id);',
  'CREATE INDEX incidents_open ON incidents (account_id) WHERE ended_at IS NULL;',
  madeAnew('notifications', [
    ACCOUNT,
    'monitor_id INTEGER',
    'incident_id INTEGER',
    'contact_id INTEGER NOT NULL',
    'event TEXT NOT NULL',
    'status TEXT NOT NULL',
    'due_at INTEGER NOT NULL',
    'attempts INTEGER NOT NULL',
    'claims INTEGER NOT NULL',
    'interruptions INTEGER NOT NULL',
    'lease_until INTEGER',
    'payload TEXT NOT NULL',
    'sent_at INTEGER',
    'repeat INTEGER NOT NULL',
    'error TEXT',
    'created_at INTEGER NOT NULL',
    'finished_at INTEGER',
  ]),
  `CREATE INDEX notifications_waiting ON notifications (contact_id, status, due_at, lease_until)
     WHERE status IN ('queued', 'sending');`,
  `CREATE INDEX notifications_lane ON notifications (monitor_id, contact_id, id)
     WHERE status IN ('queued', 'sending');`,
  'CREATE INDEX notifications_account ON notifications (account_id);',
  'CREATE INDEX notifications_monitor ON notifications (monitor_id);',
  'CREATE INDEX notifications_incident ON notifications (incident_id, contact_id);',
  'CREATE INDEX notifications_finished ON notifications (finished_at) WHERE finished_at IS NOT NULL;',
]

export const owners: string = [strays, ...records, ...history].join('\n')
