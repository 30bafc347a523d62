/**
 * The day that goes on, of each monitor. It is counted in every round, so it lies beside those of the other
 * monitors: among the past days of its own every round would rewrite a page for itself.
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
