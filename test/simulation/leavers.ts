/** People who leave a monitor alone just when it matters: while it is down, or before its end was heard of. */
import type { AccountScope } from '../../src/engine/api/engine.ts'
import type { Dice } from './dice.ts'

export interface Leaving {
  readonly what: 'pause' | 'retarget' | 'remove' | 'swapContacts'
  /** Of the monitor. */
  readonly id: number
}

/** A monitor whose end is still to be told, one that is down, or one that was until lately. */
export async function chooseLeaving(
  dice: Dice,
  { incidents, notifications }: Pick<AccountScope, 'incidents' | 'notifications'>,
): Promise<Leaving | undefined> {
  const told = (await notifications.list({ limit: 50 })).items
  const owed = told.flatMap(({ event, status, monitor_id }) =>
    event === 'up' && status === 'queued' && monitor_id !== null ? [monitor_id] : [],
  )
  if (owed.length > 0) return { what: 'remove', id: dice.pick(owed) }
  const open = (await incidents.list({ open: true, limit: 10 })).items
  if (open.length === 0) return undefined
  const ways = ['pause', 'retarget', 'remove', 'swapContacts', 'swapContacts'] as const
  return { what: dice.pick(ways), id: dice.pick(open).monitor.id }
}

/** Those who were named are named no more. */
export async function swapContacts(
  dice: Dice,
  { monitors, contacts }: Pick<AccountScope, 'monitors' | 'contacts'>,
  id: number,
): Promise<void> {
  const all = await contacts.list()
  await monitors.update(id, { contact_ids: [dice.pick(all).id] })
}
