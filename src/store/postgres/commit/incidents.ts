import type { Session } from '../database.ts'
import { arraysOf, given, insertAll } from '../bulk.ts'
import type { Columns } from '../bulk.ts'
import type { Accepted } from './accepted.ts'

const OPENED = {
  account_id: 'bigint',
  monitor_id: 'bigint',
  started_at: 'bigint',
  detected_at: 'bigint',
  cause_code: 'text',
  cause_text: 'text',
  causes: 'text',
  locations_failed: 'text',
  suppressed_by: 'bigint',
} as const satisfies Columns

const OPEN = `${insertAll('watchpost.incidents', OPENED)} RETURNING id`

export async function openIncidents(
  session: Session,
  accepted: readonly Accepted[],
): Promise<void> {
  const opening = accepted.filter(({ change }) => change.open_incident !== undefined)
  if (opening.length === 0) return
  const rows = opening.flatMap(({ change: { monitor_id, open_incident }, account_id }) =>
    open_incident === undefined
      ? []
      : [
          {
            ...open_incident,
            account_id,
            monitor_id,
            causes: JSON.stringify(open_incident.causes),
            locations_failed: JSON.stringify(open_incident.locations_failed),
          },
        ],
  )
  const ids = await idsOf(session, OPEN, arraysOf(OPENED, rows))
  opening.forEach((one, index) => (one.opened = ids[index] ?? null))
}

/** The ids that an ordered `INSERT` gave, in that order: a sequence only rises. */
export async function idsOf(
  session: Session,
  sql: string,
  params: readonly string[],
): Promise<number[]> {
  const rows = await session.rows(sql, params)
  return rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b)
}

const UPDATED = {
  id: 'bigint',
  monitor_id: 'bigint',
  ended_at: 'bigint',
  closed_reason: 'text',
  causes: 'text',
  locations_failed: 'text',
  acknowledged_at: 'bigint',
  suppressed_by: 'bigint',
  suppression: 'bigint',
} as const satisfies Columns

/** Only `suppressed_by` can be reset, so only there NULL is a value. */
const UPDATE = `UPDATE watchpost.incidents AS i SET
  ended_at = COALESCE(given.ended_at, i.ended_at),
  closed_reason = COALESCE(given.closed_reason, i.closed_reason),
  causes = COALESCE(given.causes, i.causes),
  locations_failed = COALESCE(given.locations_failed, i.locations_failed),
  acknowledged_at = COALESCE(given.acknowledged_at, i.acknowledged_at),
  suppressed_by = CASE given.suppression WHEN 1 THEN given.suppressed_by ELSE i.suppressed_by END
  FROM ${given(UPDATED)} WHERE i.id = given.id AND i.monitor_id = given.monitor_id`

export async function updateIncidents(
  session: Session,
  accepted: readonly Accepted[],
): Promise<void> {
  const rows = accepted.flatMap(({ change: { monitor_id, update_incident } }) => {
    if (update_incident === undefined) return []
    const { id, ended_at, closed_reason, causes, locations_failed } = update_incident
    const { suppressed_by, acknowledged_at } = update_incident
    return [
      {
        ...{ id, monitor_id, ended_at, closed_reason, suppressed_by, acknowledged_at },
        causes: causes && JSON.stringify(causes),
        locations_failed: locations_failed && JSON.stringify(locations_failed),
        suppression: Number(suppressed_by !== undefined),
      },
    ]
  })
  if (rows.length > 0) await session.run(UPDATE, arraysOf(UPDATED, rows))
}
