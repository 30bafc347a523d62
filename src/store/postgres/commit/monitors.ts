import { withIncident } from '../../change.ts'
import { settingsColumns } from '../../sql.ts'
import { arraysOf, given, numbers, texts } from '../bulk.ts'
import type { Columns } from '../bulk.ts'
import type { Session } from '../database.ts'
import type { Accepted } from './accepted.ts'

const MACHINES = { id: 'bigint', state: 'text', machine: 'text' } as const satisfies Columns

const PUT_MACHINES = `UPDATE watchpost.monitors AS m SET revision = m.revision + 1,
  state = COALESCE(given.state, m.state), machine = COALESCE(given.machine, m.machine)
  FROM ${given(MACHINES)} WHERE m.id = given.id`

export async function putMonitors(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const rows = accepted.map(({ change: { monitor_id: id, machine }, opened }) => ({
    id,
    state: machine?.state,
    machine: machine && JSON.stringify(withIncident(machine, opened)),
  }))
  await session.run(PUT_MACHINES, arraysOf(MACHINES, rows))
  // Written one by one: users change settings rarely.
  for (const { change } of accepted) {
    const { monitor_id, settings, token, at } = change
    if (settings !== undefined) {
      const columns = settingsColumns(settings, texts)
      const { common, settings: own, target, search, tags, metadata, checks_per_min } = columns
      const params = [monitor_id, common, own, target, search, tags, at, checks_per_min, metadata]
      await session.run(PUT_SETTINGS, params)
    }
    if (token !== undefined) {
      await session.run(PUT_TOKEN, [monitor_id, token.token, token.token_hash, at])
    }
  }
}

const PUT_SETTINGS = `UPDATE watchpost.monitors SET version = version + 1, common = $2,
  settings = $3, target = $4, search = $5, tags = $6::text[], updated_at = $7,
  checks_per_min = $8, metadata = $9::text[] WHERE id = $1`
const PUT_TOKEN = `UPDATE watchpost.monitors SET token = $2, token_hash = $3, updated_at = $4
  WHERE id = $1`

const LOCATIONS = {
  monitor_id: 'bigint',
  location_id: 'bigint',
  consecutive_fails: 'bigint',
  last: 'text',
  memo: 'text',
} as const satisfies Columns

const PUT_LOCATIONS = `INSERT INTO watchpost.location_states
  (monitor_id, location_id, consecutive_fails, last, memo)
  SELECT monitor_id, location_id, consecutive_fails, last, memo FROM ${given(LOCATIONS)}
  ON CONFLICT (monitor_id, location_id) DO UPDATE SET
  consecutive_fails = excluded.consecutive_fails, last = excluded.last, memo = excluded.memo`
const FORGET = 'DELETE FROM watchpost.location_states WHERE monitor_id = ANY ($1::bigint[])'

export async function putLocations(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const forgotten = accepted.filter(({ change }) => change.forget_locations === true)
  if (forgotten.length > 0) await session.run(FORGET, [idsOf(forgotten)])
  const rows = accepted.flatMap(({ change: { monitor_id, locations = [] } }) => {
    // One statement writes a row at most once: the last state of a location counts.
    const states = new Map(locations.map((state) => [state.location_id, state]))
    return [...states.values()].map(({ location_id, consecutive_fails, last, memo }) => ({
      monitor_id,
      location_id,
      consecutive_fails,
      last: last === null ? null : JSON.stringify(last),
      memo: memo === null ? null : JSON.stringify(memo),
    }))
  })
  if (rows.length > 0) await session.run(PUT_LOCATIONS, arraysOf(LOCATIONS, rows))
}

/** Results stay, possibly hundreds of thousands: `prune` removes them in steps. */
const REMOVE = [
  'DELETE FROM watchpost.monitors WHERE id = ANY ($1::bigint[])',
  FORGET,
  'DELETE FROM watchpost.availability WHERE monitor_id = ANY ($1::bigint[])',
  'DELETE FROM watchpost.daily WHERE monitor_id = ANY ($1::bigint[])',
  'DELETE FROM watchpost.hourly WHERE monitor_id = ANY ($1::bigint[])',
  'INSERT INTO watchpost.removed_monitors SELECT unnest($1::bigint[])',
]

export async function removeMonitors(
  session: Session,
  accepted: readonly Accepted[],
): Promise<void> {
  const removed = accepted.filter(({ change }) => change.remove === true)
  if (removed.length === 0) return
  for (const sql of REMOVE) await session.run(sql, [idsOf(removed)])
}

function idsOf(accepted: readonly Accepted[]): string {
  return numbers(accepted.map(({ change }) => change.monitor_id))
}
