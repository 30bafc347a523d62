/**
 * What every round changes of a monitor in one narrow row: its machine, its revision and its current day. In the
 * monitor's own row each round would rewrite the settings as well, and a separate page for the day.
 *
 * @module
 */

export const standings = `
CREATE TABLE standings (
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
INSERT INTO standings
  SELECT id, version, revision, state, machine, day, COALESCE(ok, 0), COALESCE(fail, 0),
    COALESCE(unknown, 0), COALESCE(ok_ms, 0), COALESCE(latency, '{}')
  FROM monitors LEFT JOIN today ON today.monitor_id = monitors.id;
CREATE INDEX standings_day ON standings (day);
DROP TABLE today;
ALTER TABLE monitors DROP COLUMN version;
ALTER TABLE monitors DROP COLUMN revision;
ALTER TABLE monitors DROP COLUMN state;
ALTER TABLE monitors DROP COLUMN machine;
`
