/** What the engine writes for a good round, for benchmarks of the store alone. */

import { bucketOf } from '../../src/incident/latency.ts'
import { initialState } from '../../src/incident/state.ts'
import { dayOf } from '../../src/model/time.ts'
import type { MonitorRecord, Outcome } from '../../src/model.ts'
import type { Change, Store } from '../../src/store/store.ts'

export const T0 = Date.UTC(2026, 0, 1)

export function newMonitor(
  index: number,
  at = T0,
): Omit<MonitorRecord, 'id' | 'version' | 'revision'> {
  const target = `https://shop-${index}.example/`
  return {
    account_id: 1,
    type: 'http',
    common: {
      name: `Shop ${index}`,
      interval_sec: 86_400,
      timeout_ms: 10_000,
      location_ids: [1],
      confirm_locations: 1,
      fail_threshold: 2,
      recover_threshold: 1,
      notify_repeat_min: 0,
      notify_repeat_max: 0,
      notify_recovery: true,
      tags: ['shop'],
      contact_ids: [],
      contact_delay: {},
      maintenance: [],
      depends_on: [],
      flap_detection: false,
      metadata: {},
      warn: {},
    },
    settings: { url: target, method: 'GET', expected_status: '200-399', follow_redirects: true },
    target,
    machine: { ...initialState(at), last_round_at: at },
    token_hash: null,
    token: null,
    created_at: at,
    updated_at: at,
  }
}

function outcomeAt(at: number): Outcome {
  return {
    verdict: 'ok',
    cause_code: null,
    cause_text: null,
    phase: null,
    started_at: new Date(at).toISOString(),
    duration_ms: 12.25 + (at % 977) / 10,
    phases: { resolve_ms: 0.4, connect_ms: 1.5, tls_ms: 8.25, first_byte_ms: 9, transfer_ms: 0.3 },
    remote_ip: '192.0.2.1',
    details: { status: 200, http_version: '1.1', body_bytes: 2048, response_ms: 19.45 },
  }
}

export function goodRound(
  { id, revision }: Pick<MonitorRecord, 'id' | 'revision'>,
  round: number,
): Change {
  const outcome = outcomeAt(round)
  const { duration_ms } = outcome
  return {
    monitor_id: id,
    revision,
    at: round,
    machine: { ...initialState(T0), state: 'up', availability: 'up', last_round_at: round },
    results: [{ ...outcome, location_id: 1, round, started_at: round, lag_ms: 3 }],
    locations: [
      { monitor_id: id, location_id: 1, last: outcome, consecutive_fails: 0, memo: null },
    ],
    daily: [
      {
        day: dayOf(round),
        ok: 1,
        fail: 0,
        unknown: 0,
        ok_ms: duration_ms,
        latency: { [bucketOf(duration_ms)]: 1 },
      },
    ],
    availability: [],
    notify: [],
  }
}

/** So many monitors in an open store, with the account and the location that they need. */
export async function fill(store: Store, monitors: number, at = T0): Promise<MonitorRecord[]> {
  if ((await store.accounts.list()).length === 0)
    await store.accounts.create({ name: 'bench', created_at: at })
  await store.locations.ensure('local')
  const records: MonitorRecord[] = []
  for (let index = 0; index < monitors; index++)
    records.push(await store.monitors.create(newMonitor(index, at)))
  return records
}
