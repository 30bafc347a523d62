/**
 * Compares what the engine said, what the store holds and what the receiver wrote down.
 *
 * @module
 */

import { verifyWebhook } from '../../../src/webhook/verify.ts'
import type { Said } from './plan.ts'
import type { Entry } from './receiver.ts'
import type { Tables } from './tables.ts'

export interface Books {
  readonly tables: Tables
  readonly said: readonly Said[]
  readonly received: readonly Entry[]
  /** Number of contacts that every monitor tells. */
  readonly contacts: number
  /** Path of the contact whose receiver never fails, and its id. */
  readonly healthy: { readonly path: string; readonly id: number }
  readonly secret: string
}

export interface Findings {
  readonly incidents: number
  readonly notifications: number
  readonly attempts: number
  readonly interrupted: number
  readonly acknowledged: number
  /** Sent to the receiver that never fails and accepted there more than once. */
  readonly extra_deliveries: number
  /** The most that any one notification was accepted beyond once. */
  readonly most_extra: number
  /** Given up because eight attempts were cut off, whether or not one of them arrived: to the receiver that never fails, and to all. */
  readonly given_up_healthy: number
  readonly given_up: number
  /** What must not be: empty where all is well. */
  readonly problems: readonly string[]
}

/** What must hold at any moment, however the engine ended. Each query finds what breaks it. */
const ALWAYS: Readonly<Record<string, (contacts: number, incidentOfMonitor: string) => string>> = {
  'an incident without its rows': (contacts) =>
    `SELECT i.id FROM incidents i WHERE (SELECT COUNT(*) FROM notifications n
     WHERE n.incident_id = i.id AND n.event = 'down' AND n.repeat = 0) <> ${contacts}`,
  'a row without its incident': () =>
    `SELECT n.id FROM notifications n WHERE n.incident_id IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM incidents i WHERE i.id = n.incident_id)`,
  'an end that nobody was told of, though its incident has ended': () =>
    `SELECT i.id FROM incidents i WHERE i.closed_reason IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.incident_id = i.id AND n.event = 'up')`,
  'a recovery told while its incident goes on': () =>
    `SELECT i.id FROM incidents i WHERE i.ended_at IS NULL
     AND EXISTS (SELECT 1 FROM notifications n WHERE n.incident_id = i.id AND n.event = 'up')`,
  'an open incident that its monitor does not know': (_contacts, incidentOfMonitor) =>
    `SELECT i.id FROM incidents i JOIN monitors m ON m.id = i.monitor_id
     WHERE i.ended_at IS NULL AND COALESCE(${incidentOfMonitor}, 0) <> i.id`,
  'a monitor with an incident that is not open': (_contacts, incidentOfMonitor) =>
    `SELECT m.id FROM monitors m WHERE ${incidentOfMonitor} IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM incidents i WHERE i.ended_at IS NULL
       AND i.id = ${incidentOfMonitor})`,
}

/** Looks at the tables as a killed engine left them. */
export async function lookAt(tables: Tables, contacts: number): Promise<string[]> {
  const kinds = Object.entries(ALWAYS)
  const found = await tables.read(
    kinds.map(([, query]) => query(contacts, tables.incidentOfMonitor)),
  )
  const problems = kinds.flatMap(([what], index) =>
    (found[index] ?? []).map(({ id }) => `${what}: ${id}`),
  )
  return [...problems, ...(await tables.damage())]
}

/** After everything has been delivered. */
export async function balance(books: Books): Promise<Findings> {
  const { tables, said, received, contacts, healthy } = books
  const [incidents = [], rows = [], attempts = []] = await tables.read([
    'SELECT * FROM incidents',
    'SELECT * FROM notifications',
    'SELECT * FROM attempts',
  ])
  const accepted = new Map<number, number>()
  const problems = await lookAt(tables, contacts)
  const bytes = new Map<number, string>()
  for (const entry of received) {
    const id = idOf(entry, books.secret, problems)
    if ((bytes.get(id) ?? entry.body) !== entry.body) problems.push(`row ${id} changed its bytes`)
    bytes.set(id, entry.body)
    if (isAccepted(entry)) accepted.set(id, (accepted.get(id) ?? 0) + 1)
  }
  const unseen = countBy(attempts, (one) =>
    one['http_status'] === null ? Number(one['notification_id']) : 0,
  )
  const given_up = rows.filter(
    ({ status, error }) => status === 'failed' && error === 'interrupted',
  )

  const known = new Set(incidents.map(({ id }) => Number(id)))
  const acknowledged = said.flatMap((line) =>
    line.kind === 'down' || line.kind === 'up' ? [line] : [],
  )
  for (const { incident_id } of acknowledged)
    if (!known.has(incident_id))
      problems.push(`incident ${incident_id} was acknowledged and is gone`)
  for (const line of said) {
    const row = line.kind === 'notification' ? rows.find(({ id }) => id === line.id) : undefined
    if (line.kind === 'notification' && row?.['status'] !== line.status)
      problems.push(`row ${line.id} was said to be ${line.status} and is ${row?.['status']}`)
  }
  for (const row of rows) {
    const id = Number(row['id'])
    const times = accepted.get(id) ?? 0
    if (row['status'] === 'queued' || row['status'] === 'sending')
      problems.push(`row ${id} is ${row['status']} in the end`)
    if (row['status'] === 'sent' && times === 0)
      problems.push(`row ${id} is sent but never arrived`)
    if (row['status'] === 'failed' && row['error'] === null)
      problems.push(`row ${id} failed without a reason`)
    if (times - 1 > (unseen.get(id) ?? 0))
      problems.push(`row ${id} arrived ${times} times, with ${unseen.get(id) ?? 0} unseen ends`)
    const isLost = row['contact_id'] === healthy.id && row['event'] === 'down' && times === 0
    if (isLost) problems.push(`row ${id} was lost (${row['status']})`)
  }
  const extras = [...accepted.values()].map((times) => times - 1)
  return {
    incidents: incidents.length,
    notifications: rows.length,
    attempts: attempts.length,
    interrupted: attempts.filter(({ error }) => error === 'interrupted').length,
    acknowledged: acknowledged.length,
    extra_deliveries: extras.reduce((sum, n) => sum + n, 0),
    most_extra: Math.max(0, ...extras),
    given_up_healthy: given_up.filter(({ contact_id }) => contact_id === healthy.id).length,
    given_up: given_up.length,
    problems,
  }
}

function idOf(entry: Entry, secret: string, problems: string[]): number {
  const body = Buffer.from(entry.body, 'base64')
  const at = entry.headers.findIndex((name) => name.toLowerCase() === 'x-service-signature')
  const result = verifyWebhook({
    body,
    header: entry.headers[at + 1] ?? '',
    secret,
    toleranceSec: 0,
  })
  if (!result.ok) problems.push(`a request that does not verify: ${result.reason}`)
  return (JSON.parse(body.toString('utf8')) as { notification_id: number }).notification_id
}

function isAccepted({ answer }: Entry): boolean {
  const status = answer.status ?? 200
  return answer.do === undefined && status >= 200 && status < 300
}

function countBy<T>(items: readonly T[], key: (item: T) => number): Map<number, number> {
  const counts = new Map<number, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}
