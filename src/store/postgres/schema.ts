/**
 * Times are epoch milliseconds, flags 0 or 1, objects and lists JSON text, so that their bytes are preserved. Rows of an
 * account have a foreign key to it, which takes a lock that only the removal of the account waits for; the index of
 * `external_id` is partial, so that no foreign key waits for a change of it. An account is removed in steps, and its
 * own row in the last one. History has no foreign key to its monitor, so that a change locks only the monitor. Tables
 * whose rows every round updates have a lower fillfactor, so that updates stay on the page (HOT) and no index changes.
 *
 * @module
 */

const records = `
CREATE TABLE watchpost.meta (name text PRIMARY KEY, value text NOT NULL);

CREATE TABLE watchpost.accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  external_id text,
  quotas text NOT NULL,
  monitor_defaults text NOT NULL,
  removing integer NOT NULL DEFAULT 0,
  created_at bigint NOT NULL
);
CREATE UNIQUE INDEX accounts_external ON watchpost.accounts (external_id)
  WHERE external_id IS NOT NULL;
CREATE INDEX accounts_removing ON watchpost.accounts (id) WHERE removing = 1;

CREATE TABLE watchpost.api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  name text NOT NULL,
  prefix text NOT NULL,
  hash text NOT NULL UNIQUE,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  revoked_at bigint
);
CREATE INDEX api_keys_account ON watchpost.api_keys (account_id);

CREATE TABLE watchpost.locations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE
);

CREATE TABLE watchpost.contacts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  kind text NOT NULL,
  name text NOT NULL,
  all_monitors integer NOT NULL,
  quiet text,
  group_window_sec integer NOT NULL,
  events text NOT NULL,
  settings text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX contacts_account ON watchpost.contacts (account_id);

CREATE TABLE watchpost.audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  at bigint NOT NULL,
  resource text NOT NULL,
  resource_id bigint NOT NULL,
  resource_name text,
  action text NOT NULL,
  actor text,
  changes text NOT NULL
);
CREATE INDEX audit_log_account ON watchpost.audit_log (account_id, id);
CREATE INDEX audit_log_resource ON watchpost.audit_log (account_id, resource, resource_id, id);
CREATE INDEX audit_log_actor ON watchpost.audit_log (account_id, actor, id);
CREATE INDEX audit_log_age ON watchpost.audit_log (at);

CREATE TABLE watchpost.maintenance (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  version integer NOT NULL,
  settings text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX maintenance_account ON watchpost.maintenance (account_id);

CREATE TABLE watchpost.idempotency_responses (
  account_id bigint NOT NULL,
  idempotency_key text NOT NULL,
  request_hash text NOT NULL,
  status integer NOT NULL,
  body text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (account_id, idempotency_key)
);
CREATE INDEX idempotency_responses_expiry ON watchpost.idempotency_responses (expires_at);
CREATE INDEX idempotency_responses_account ON watchpost.idempotency_responses (account_id, expires_at);
`

/** `state`, `search`, `tags`, `metadata` and `checks_per_min` repeat parts of the JSON columns in the form that queries use. */
const monitors = `
CREATE TABLE watchpost.monitors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  type text NOT NULL,
  version integer NOT NULL,
  revision bigint NOT NULL,
  state text NOT NULL,
  machine text NOT NULL,
  common text NOT NULL,
  settings text NOT NULL,
  target text NOT NULL,
  search text NOT NULL,
  tags text[] NOT NULL,
  metadata text[] NOT NULL,
  checks_per_min double precision NOT NULL,
  token_hash text,
  token text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX monitors_account ON watchpost.monitors (account_id, id);
CREATE INDEX monitors_token ON watchpost.monitors (token_hash) WHERE token_hash IS NOT NULL;

CREATE TABLE watchpost.location_states (
  monitor_id bigint NOT NULL,
  location_id bigint NOT NULL,
  consecutive_fails integer NOT NULL,
  last text,
  memo text,
  PRIMARY KEY (monitor_id, location_id)
) WITH (fillfactor = 70);

CREATE TABLE watchpost.removed_monitors (monitor_id bigint PRIMARY KEY);
`

/** One partition a day, created by `partitions.ts`. No primary key on the ids: a sequence gives each of them once. */
const history = `
CREATE SEQUENCE watchpost.results_id;
CREATE TABLE watchpost.results (
  id bigint NOT NULL DEFAULT nextval('watchpost.results_id'),
  monitor_id bigint NOT NULL,
  location_id bigint NOT NULL,
  round bigint NOT NULL,
  started_at bigint NOT NULL,
  lag_ms double precision NOT NULL,
  duration_ms double precision NOT NULL,
  verdict text NOT NULL,
  cause_code text,
  cause_text text,
  phase text,
  phases text,
  remote_ip text,
  details text
) PARTITION BY RANGE (started_at);
CREATE INDEX results_monitor ON watchpost.results (monitor_id, id);

CREATE TABLE watchpost.incidents (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  monitor_id bigint NOT NULL,
  started_at bigint NOT NULL,
  detected_at bigint NOT NULL,
  ended_at bigint,
  cause_code text NOT NULL,
  cause_text text NOT NULL,
  causes text NOT NULL,
  locations_failed text NOT NULL,
  closed_reason text,
  suppressed_by bigint,
  acknowledged_at bigint
);
CREATE INDEX incidents_account ON watchpost.incidents (account_id, id);
CREATE INDEX incidents_monitor ON watchpost.incidents (monitor_id, id);
CREATE INDEX incidents_open ON watchpost.incidents (account_id, id) WHERE ended_at IS NULL;

CREATE TABLE watchpost.availability (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  monitor_id bigint NOT NULL,
  at bigint NOT NULL,
  availability text NOT NULL
);
CREATE INDEX availability_monitor ON watchpost.availability (monitor_id, at, id);
CREATE INDEX availability_age ON watchpost.availability (at);

CREATE TABLE watchpost.daily (
  monitor_id bigint NOT NULL,
  day text COLLATE "C" NOT NULL,
  ok bigint NOT NULL,
  fail bigint NOT NULL,
  unknown bigint NOT NULL,
  ok_ms double precision NOT NULL,
  latency text NOT NULL,
  PRIMARY KEY (monitor_id, day)
) WITH (fillfactor = 70);
CREATE INDEX daily_day ON watchpost.daily (day);
`

/**
 * The partial indexes contain only the rows that are not final, so that the size of the log does not affect a claim;
 * `notifications_latest` finds the rows dated after it.
 */
const outbox = `
CREATE TABLE watchpost.notifications (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  monitor_id bigint,
  incident_id bigint,
  contact_id bigint NOT NULL,
  event text NOT NULL,
  status text NOT NULL,
  due_at bigint NOT NULL,
  attempts integer NOT NULL,
  claims integer NOT NULL,
  interruptions integer NOT NULL,
  lease_until bigint,
  payload text NOT NULL,
  sent_at bigint,
  repeat integer NOT NULL,
  error text,
  created_at bigint NOT NULL,
  finished_at bigint
) WITH (fillfactor = 80);
CREATE INDEX notifications_waiting ON watchpost.notifications (contact_id, due_at, id)
  WHERE status IN ('queued', 'sending');
CREATE INDEX notifications_lane ON watchpost.notifications (monitor_id, contact_id, id)
  WHERE status IN ('queued', 'sending');
CREATE INDEX notifications_due ON watchpost.notifications (due_at) WHERE status = 'queued';
CREATE INDEX notifications_latest ON watchpost.notifications (created_at) WHERE status = 'queued';
CREATE INDEX notifications_lease ON watchpost.notifications (lease_until) WHERE status = 'sending';
CREATE INDEX notifications_account ON watchpost.notifications (account_id, id);
CREATE INDEX notifications_monitor ON watchpost.notifications (monitor_id, id);
CREATE INDEX notifications_contact ON watchpost.notifications (contact_id, id);
CREATE INDEX notifications_incident ON watchpost.notifications (incident_id, contact_id);
CREATE INDEX notifications_finished ON watchpost.notifications (finished_at, id)
  WHERE finished_at IS NOT NULL;

CREATE TABLE watchpost.attempts (
  notification_id bigint NOT NULL,
  claim integer NOT NULL,
  at bigint NOT NULL,
  duration_ms double precision NOT NULL,
  http_status integer,
  error text,
  answer text,
  PRIMARY KEY (notification_id, claim)
);
`

/**
 * `commits`: one token per transaction, looked up when a connection was lost during its COMMIT. `idempotency_locks`: which engine
 * executes a request that may arrive at two of them.
 */
const sharing = `
CREATE TABLE watchpost.commits (token uuid PRIMARY KEY, at bigint NOT NULL);
CREATE INDEX commits_age ON watchpost.commits (at);

CREATE TABLE watchpost.engines (owner text PRIMARY KEY, until bigint NOT NULL);
CREATE TABLE watchpost.shards (shard integer PRIMARY KEY, owner text);
INSERT INTO watchpost.shards (shard) SELECT generate_series(0, 255);

-- Not worth a write-ahead log: the longest window is a minute, and a lock lasts two.
CREATE UNLOGGED TABLE watchpost.request_windows (
  key_id bigint PRIMARY KEY,
  times bigint[] NOT NULL,
  admitted boolean NOT NULL,
  until bigint NOT NULL
) WITH (fillfactor = 50);
CREATE UNLOGGED TABLE watchpost.idempotency_locks (
  account_id bigint NOT NULL,
  idempotency_key text NOT NULL,
  owner text NOT NULL,
  until bigint NOT NULL,
  PRIMARY KEY (account_id, idempotency_key)
);
`

const pageTable = (name: string, columns = ''): string => `
CREATE TABLE watchpost.${name} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES watchpost.accounts (id),
  version integer NOT NULL,
  settings text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL${columns}
);
CREATE INDEX ${name}_account ON watchpost.${name} (account_id, id);
`

/** `slug` repeats the one in the settings: two pages cannot have the same address. */
const pages =
  pageTable('public_pages', ',\n  slug text NOT NULL UNIQUE') + pageTable('status_reports')

export const firstSchema: string = records + monitors + history + outbox + pages + sharing

/** `totals` is JSON that no query reads. The current hour is part of the monitor's machine. */
export const hourlySchema: string = `
CREATE TABLE watchpost.hourly (
  monitor_id bigint NOT NULL,
  hour bigint NOT NULL,
  location_id bigint NOT NULL,
  totals text NOT NULL,
  PRIMARY KEY (monitor_id, hour, location_id)
);
CREATE INDEX hourly_hour ON watchpost.hourly (hour);
`

export const contactVersionSchema: string = `
ALTER TABLE watchpost.contacts ADD COLUMN version integer NOT NULL DEFAULT 1;
`

/** Finds the waiting notifications of an incident without reading the others. */
export const waitingOfIncidentSchema: string = `
CREATE INDEX notifications_awaited ON watchpost.notifications (incident_id)
  WHERE status IN ('queued', 'sending');
`
