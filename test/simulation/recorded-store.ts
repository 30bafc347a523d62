/** A store that writes on the tape what took effect in it, and what each call made of the outbox. */
import type { NotificationRecord } from '../../src/model.ts'
import type {
  Change,
  Claim,
  Committed,
  FinishedAttempt,
  FullStore,
  Shards,
} from '../../src/store/store.ts'
import type { EntryOf, Tape } from './tape.ts'

export interface Recording {
  /** The same store as one process sees it. */
  as(life: number): FullStore
}

type OpenRow = Pick<NotificationRecord, 'monitor_id' | 'contact_id'>

export function recordStore(inner: FullStore, tape: Tape): Recording {
  /** Rows that are not final. */
  const open = new Map<number, OpenRow>()
  let tail: Promise<unknown> = Promise.resolve()

  /** One call after the other: what one of them did is on the tape before the next one sees it. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work, work)
    tail = turn.catch(() => undefined)
    return turn
  }

  async function note(id: number, by: EntryOf<'row'>['by']): Promise<void> {
    const record = await inner.notifications.get(id)
    if (record === undefined) return
    if (record.finished_at === null) open.set(id, record)
    else open.delete(id)
    tape.add({ kind: 'row', by, record })
  }

  /** Rows that a change of something else may have ended. */
  async function noteEnded(test: (row: OpenRow) => boolean): Promise<void> {
    for (const [id, row] of [...open]) {
      if (!test(row)) continue
      const record = await inner.notifications.get(id)
      if (record !== undefined && record.finished_at !== null) await note(id, 'cancel')
    }
  }

  async function commit(life: number, changes: readonly Change[]): Promise<readonly Committed[]> {
    const answers = await inner.commit(changes)
    for (const [index, answer] of answers.entries()) {
      const change = changes[index]!
      tape.add({ kind: 'commit', life, change, answer })
      if (!answer.ok) continue
      if (change.cancel !== undefined)
        await noteEnded(({ monitor_id }) => monitor_id === change.monitor_id)
      for (const id of answer.notification_ids) await note(id, 'commit')
    }
    return answers
  }

  async function claim(life: number, wanted: Claim): Promise<readonly NotificationRecord[]> {
    const records = await inner.notifications.claim(wanted)
    for (const record of records) tape.add({ kind: 'claim', life, record })
    return records
  }

  async function finish(life: number, end: FinishedAttempt): Promise<boolean> {
    const taken = await inner.notifications.finish(end)
    tape.add({ kind: 'finish', life, end, taken })
    if (!taken) return taken
    await note(end.id, 'finish')
    const row = end.then === undefined ? undefined : await inner.notifications.get(end.id)
    if (row === undefined || row.incident_id === null) return taken
    const { incident_id, contact_id } = row
    const [next] = await inner.notifications.list({
      account_id: 'all',
      incident_id,
      contact_id,
      limit: 1,
    })
    if (next !== undefined && next.id > end.id && !open.has(next.id)) await note(next.id, 'finish')
    return taken
  }

  const contacts: FullStore['contacts'] = {
    ...inner.contacts,
    async create(...given) {
      const record = await inner.contacts.create(...given)
      tape.add({ kind: 'contact', record })
      return record
    },
    async update(...given) {
      const record = await inner.contacts.update(...given)
      if (record !== undefined) tape.add({ kind: 'contact', record })
      return record
    },
    remove: (id, ...given) =>
      inTurn(async () => {
        const removed = await inner.contacts.remove(id, ...given)
        if (removed) tape.add({ kind: 'contact_gone', id })
        await noteEnded(({ contact_id }) => contact_id === id)
        return removed
      }),
  }

  function shards(life: number, { hold, release }: Shards): Shards {
    let before: readonly number[] = []
    return {
      release,
      async hold(lease) {
        const held = await hold(lease)
        tape.add({ kind: 'lease', life, until: lease.until })
        const isSame = held.length === before.length && held.every((each, i) => each === before[i])
        if (!isSame) tape.add({ kind: 'held', life, shards: (before = held) })
        return held
      },
    }
  }

  const maintenance = (life: number): FullStore['maintenance'] => ({
    ...inner.maintenance,
    async create(planned, most, audit) {
      const record = await inner.maintenance.create(planned, most, audit)
      tape.add({ kind: 'maintenance', life, id: record.id, record })
      return record
    },
    async update(id, version, change) {
      const record = await inner.maintenance.update(id, version, change)
      if (record !== undefined) tape.add({ kind: 'maintenance', life, id, record })
      return record
    },
    async remove(id, version, audit) {
      const removed = await inner.maintenance.remove(id, version, audit)
      if (removed) tape.add({ kind: 'maintenance', life, id })
      return removed
    },
  })

  return {
    as: (life) => ({
      ...inner,
      maintenance: maintenance(life),
      ...(inner.shards === undefined ? {} : { shards: shards(life, inner.shards) }),
      contacts,
      commit: (changes) => inTurn(() => commit(life, changes)),
      monitors: {
        ...inner.monitors,
        async create(...given) {
          const record = await inner.monitors.create(...given)
          tape.add({ kind: 'monitor', record, audit: given[2] })
          return record
        },
      },
      notifications: {
        ...inner.notifications,
        create: (notification) =>
          inTurn(async () => {
            const record = await inner.notifications.create(notification)
            await note(record.id, 'create')
            return record
          }),
        claim: (wanted) => inTurn(() => claim(life, wanted)),
        finish: (end) => inTurn(() => finish(life, end)),
      },
      async clockSet(set) {
        await inner.clockSet?.(set)
        tape.add({ kind: 'moved', set })
      },
      async prune(options) {
        const count = await inner.prune(options)
        if (count > 0) tape.add({ kind: 'pruned', count })
        return count
      },
    }),
  }
}
