/**
 * The current day of each monitor in a table of its own. Every round updates it: among the monitor's past days every
 * round would rewrite a separate page, here the current days of many monitors share pages.
 *
 * @module
 */

export const today = `
CREATE TABLE today (
  monitor_id INTEGER PRIMARY KEY,
  day TEXT NOT NULL,
  ok INTEGER NOT NULL,
  fail INTEGER NOT NULL,
  unknown INTEGER NOT NULL,
  ok_ms REAL NOT NULL,
  latency TEXT NOT NULL
);
CREATE INDEX today_day ON today (day);
`
