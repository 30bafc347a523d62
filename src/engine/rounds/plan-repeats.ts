/**
 * The repeats that a change of settings starts while an incident is open: for every contact if repeats are turned on,
 * and for a contact that the monitor gets. All other repeats follow a notification (delivery/repetition.ts).
 *
 * @module
 */

import { audience, nextRepeat } from '../../incident/notices.ts'
import type { CommonSettings, EpochMs, NotificationRecord } from '../../model.ts'
import type { NewNotification } from '../../store/store.ts'
import { repeatPayload } from '../../webhook/payload.ts'
import type { Core } from '../core/core.ts'
import { readableContacts } from '../core/stored-contacts.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { bareDownPayload } from './plan-notifications.ts'

/** The newest rows of an incident, or of one contact, in which the last notification is looked for. */
const ROWS_PER_QUERY = 20

/** Counted from the change: nobody is told at once. None while the incident is acknowledged, or something explains it. */
export async function planStartedRepeats(
  core: Core,
  cached: CachedMonitor,
  { common, at }: { readonly common: CommonSettings; readonly at: EpochMs },
): Promise<NewNotification[]> {
  const { account_id, machine, common: before } = cached.record
  const { incident: open, state } = machine
  const isTurnedOn = before.notify_repeat_min === 0
  const added = common.contact_ids.filter((id) => !before.contact_ids.includes(id))
  if (common.notify_repeat_min === 0 || (!isTurnedOn && added.length === 0)) return []
  if (open === null || open.suppression !== undefined) return []
  if (state === 'maintenance' || state === 'paused') return []
  const incident = await core.store.incidents.get(open.id)
  if (incident === undefined || incident.acknowledged_at !== null) return []

  const lastRow = async (contact_id?: number): Promise<NotificationRecord | undefined> => {
    const of = contact_id === undefined ? {} : { contact_id }
    const query = { account_id, incident_id: open.id, ...of, limit: ROWS_PER_QUERY }
    const rows = await core.store.notifications.list({
      ...query,
      statuses: ['queued', 'sending', 'sent', 'failed'],
    })
    return rows.find(({ event }) => event !== 'up' && event !== 'acknowledged')
  }
  const contacts = audience(await readableContacts(core, account_id), common)
  const told = (await lastRow())?.payload ?? bareDownPayload({ core, cached }, incident)
  const planned: NewNotification[] = []
  for (const { id } of contacts) {
    if (!isTurnedOn && !added.includes(id)) continue
    const last = await lastRow(id)
    // Repeats follow what is not sent yet, and they go on for a contact that the monitor had before.
    if (last?.status === 'queued' || (last !== undefined && !isTurnedOn)) continue
    const next = nextRepeat(common, last?.repeat ?? 0, at)
    if (next === null) continue
    const payload = repeatPayload(last?.payload ?? told, {
      n: next.repeat,
      max: common.notify_repeat_max,
    })
    planned.push({ contact_id: id, event: 'repeat', payload, incident: open.id, ...next })
  }
  return planned
}
