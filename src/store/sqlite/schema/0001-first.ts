/**
 * Times are epoch milliseconds, flags 0 or 1, objects and lists JSON text. AUTOINCREMENT for ids that must not be
 * reused, even after the newest rows were removed.
 *
 * @module
 */

const records = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
);
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE locations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE contacts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  all_monitors INTEGER NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX contacts_account ON contacts (account_id);

CREATE TABLE replies (
  account_id INTEGER NOT NULL,
  reply_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, reply_key)
) WITHOUT ROWID;
CREATE INDEX replies_expiry ON replies (expires_at);
`

/** `state`, `search` and `tags` repeat parts of the JSON columns in the form that queries use. */
const monitors = `
CREATE TABLE monitors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  machine TEXT NOT NULL,
  common TEXT NOT NULL,
  settings TEXT NOT NULL,
  target TEXT NOT NULL,
  search TEXT NOT NULL,
  tags TEXT NOT NULL,
  token_hash TEXT,
  token TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX monitors_account ON monitors (account_id);
CREATE INDEX monitors_token ON monitors (token_hash) WHERE token_hash IS NOT NULL;

CREATE TABLE location_states (
  monitor_id INTEGER NOT NULL,
  location_id INTEGER NOT NULL,
  consecutive_fails INTEGER NOT NULL,
  last TEXT,
  memo TEXT,
  PRIMARY KEY (monitor_id, location_id)
) WITHOUT ROWID;

CREATE TABLE removed_monitors (monitor_id INTEGER PRIMARY KEY);
`

const history = `
CREATE TABLE results (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  monitor_id INTEGER NOT NULL,
  location_id INTEGER NOT NULL,
  round INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  lag_ms REAL NOT NULL,
  duration_ms REAL NOT NULL,
  verdict TEXT NOT NULL,
  cause_code TEXT,
  cause_text TEXT,
  phase TEXT,
  phases TEXT,
  remote_ip TEXT,
  details TEXT
);
CREATE INDEX results_monitor ON results (monitor_id, id);

CREATE TABLE incidents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  monitor_id INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  detected_at INTEGER NOT NULL,
  ended_at INTEGER,
  cause_code TEXT NOT NULL,
  cause_text TEXT NOT NULL,
  causes TEXT NOT NULL,
  locations_failed TEXT NOT NULL,
  closed_reason TEXT
);
CREATE INDEX incidents_account ON incidents (account_id);
CREATE INDEX incidents_monitor ON incidents (monitor_id);
CREATE INDEX incidents_open ON incidents (account_id) WHERE ended_at IS NULL;

CREATE TABLE availability (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  monitor_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  availability TEXT NOT NULL
);
CREATE INDEX availability_monitor ON availability (monitor_id, at);

CREATE TABLE daily (
  monitor_id INTEGER NOT NULL,
  day TEXT NOT NULL,
  ok INTEGER NOT NULL,
  fail INTEGER NOT NULL,
  unknown INTEGER NOT NULL,
  ok_ms REAL NOT NULL,
  latency TEXT NOT NULL,
  PRIMARY KEY (monitor_id, day)
) WITHOUT ROWID;
CREATE INDEX daily_day ON daily (day);
`

/** The partial indexes contain only the rows that are not final, so that the size of the log does not affect a claim. */
const outbox = `
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL,
  monitor_id INTEGER,
  incident_id INTEGER,
  contact_id INTEGER NOT NULL,
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  interruptions INTEGER NOT NULL,
  lease_until INTEGER,
  payload TEXT NOT NULL,
  sent_at INTEGER,
  repeat INTEGER NOT NULL,
  error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE INDEX notifications_waiting ON notifications (contact_id, status, due_at, lease_until)
  WHERE status IN ('queued', 'sending');
CREATE INDEX notifications_lane ON notifications (monitor_id, contact_id, id)
  WHERE status IN ('queued', 'sending');
CREATE INDEX notifications_account ON notifications (account_id);
CREATE INDEX notifications_monitor ON notifications (monitor_id);
CREATE INDEX notifications_incident ON notifications (incident_id, contact_id);
CREATE INDEX notifications_finished ON notifications (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE attempts (
  notification_id INTEGER NOT NULL,
  claim INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  http_status INTEGER,
  error TEXT,
  answer TEXT,
  PRIMARY KEY (notification_id, claim)
) WITHOUT ROWID;
`

export const first: string = records + monitors + history + outbox
