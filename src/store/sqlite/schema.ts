/**
 * Times are epoch milliseconds, flags 0 or 1, objects and lists JSON text. AUTOINCREMENT for ids that must not be
 * reused, even after the newest rows were removed. Rows of an account have a foreign key to it; an account is removed
 * in steps, and its own row in the last one.
 *
 * @module
 */

const records = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  external_id TEXT,
  quotas TEXT NOT NULL,
  monitor_defaults TEXT NOT NULL,
  removing INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX accounts_external ON accounts (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX accounts_removing ON accounts (id) WHERE removing = 1;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
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
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  all_monitors INTEGER NOT NULL,
  quiet TEXT,
  group_window_sec INTEGER NOT NULL,
  events TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX contacts_account ON contacts (account_id);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  at INTEGER NOT NULL,
  resource TEXT NOT NULL,
  resource_id INTEGER NOT NULL,
  resource_name TEXT,
  action TEXT NOT NULL,
  actor TEXT,
  changes TEXT NOT NULL
);
CREATE INDEX audit_log_account ON audit_log (account_id);
CREATE INDEX audit_log_resource ON audit_log (account_id, resource, resource_id);
CREATE INDEX audit_log_actor ON audit_log (account_id, actor);
CREATE INDEX audit_log_age ON audit_log (at);

CREATE TABLE maintenance (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  version INTEGER NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX maintenance_account ON maintenance (account_id);

CREATE TABLE idempotency_responses (
  account_id INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, idempotency_key)
) WITHOUT ROWID;
CREATE INDEX idempotency_responses_expiry ON idempotency_responses (expires_at);
CREATE INDEX idempotency_responses_account ON idempotency_responses (account_id, expires_at, bytes);
`

/**
 * `state`, `search`, `tags`, `metadata` and `checks_per_min` repeat parts of the JSON columns in the form that queries use.
 *
 * `monitor_states` has what every round changes of a monitor in one narrow row: its machine, its revision and its
 * current day. In the monitor's own row each round would rewrite the settings as well, and a separate page for the day.
 */
const monitors = `
CREATE TABLE monitors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  type TEXT NOT NULL,
  common TEXT NOT NULL,
  settings TEXT NOT NULL,
  target TEXT NOT NULL,
  search TEXT NOT NULL,
  tags TEXT NOT NULL,
  metadata TEXT NOT NULL,
  checks_per_min REAL NOT NULL,
  token_hash TEXT,
  token TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX monitors_account ON monitors (account_id);
CREATE INDEX monitors_token ON monitors (token_hash) WHERE token_hash IS NOT NULL;

CREATE TABLE monitor_states (
  monitor_id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  state TEXT NOT NULL,
  machine TEXT NOT NULL,
  day TEXT,
  ok INTEGER NOT NULL DEFAULT 0,
  fail INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  ok_ms REAL NOT NULL DEFAULT 0,
  latency TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX monitor_states_day ON monitor_states (day);

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
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  monitor_id INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  detected_at INTEGER NOT NULL,
  ended_at INTEGER,
  cause_code TEXT NOT NULL,
  cause_text TEXT NOT NULL,
  causes TEXT NOT NULL,
  locations_failed TEXT NOT NULL,
  closed_reason TEXT,
  suppressed_by INTEGER,
  acknowledged_at INTEGER
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

/**
 * The partial indexes contain only the rows that are not final, so that the size of the log does not affect a claim.
 *
 * A claim finds the next row by skipping from contact to contact and from lane to lane, so that it does not read the
 * rows behind others; `notifications_latest` finds the rows dated after it. A lane is the notifications of one monitor
 * for one contact; rows without a monitor are not ordered. `notifications_contact` finds the last notification of a
 * contact without reading its backlog.
 */
const outbox = `
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
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
CREATE INDEX notifications_due ON notifications (due_at) WHERE status = 'queued';
CREATE INDEX notifications_queued ON notifications (contact_id, due_at) WHERE status = 'queued';
CREATE INDEX notifications_alone ON notifications (contact_id, due_at)
  WHERE status = 'queued' AND monitor_id IS NULL;
CREATE INDEX notifications_latest ON notifications (created_at) WHERE status = 'queued';
CREATE INDEX notifications_sending ON notifications (lease_until) WHERE status = 'sending';
CREATE INDEX notifications_lanes ON notifications (contact_id, monitor_id, id)
  WHERE status IN ('queued', 'sending');
CREATE INDEX notifications_lane ON notifications (monitor_id, contact_id, id)
  WHERE status IN ('queued', 'sending');
CREATE INDEX notifications_account ON notifications (account_id);
CREATE INDEX notifications_contact ON notifications (contact_id, id, status);
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

const pageTable = (name: string, columns = ''): string => `
CREATE TABLE ${name} (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  version INTEGER NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL${columns}
);
CREATE INDEX ${name}_account ON ${name} (account_id);
`

/** `slug` repeats the one in the settings: two pages cannot have the same address. */
const pages =
  pageTable('public_pages', ',\n  slug TEXT NOT NULL UNIQUE') + pageTable('status_reports')

export const firstSchema: string = records + monitors + history + outbox + pages

/** `totals` is JSON that no query reads. The current hour is part of the monitor's machine. */
export const hourlySchema: string = `
CREATE TABLE hourly (
  monitor_id INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  location_id INTEGER NOT NULL,
  totals TEXT NOT NULL,
  PRIMARY KEY (monitor_id, hour, location_id)
) WITHOUT ROWID;
CREATE INDEX hourly_hour ON hourly (hour);
`

export const contactVersionSchema: string = `
ALTER TABLE contacts ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
`

/** Finds the waiting notifications of a monitor, and those of one incident of it without reading the others. */
export const waitingOfIncidentSchema: string = `
DROP INDEX notifications_lane;
CREATE INDEX notifications_lane ON notifications (monitor_id, incident_id)
  WHERE status IN ('queued', 'sending');
`
