import { strict as assert } from 'node:assert'
import { anotherAccount, claim, contact, HOUR, ids, MINUTE, queue, stored, T0 } from './case.ts'
import type { ContactRecord, NotificationRecord, QuietHours } from '../../model.ts'
import type { FinishedAttempt, FullStore } from '../../store/store.ts'
import type { Case } from './case.ts'

const QUIET: QuietHours = {
  time_zone: 'Europe/Berlin',
  hours: [{ from: '22:00', to: '07:00', weekdays: ['mon'] }],
  during: 'wait',
  ended: 'notify',
  except_tags: ['critical'],
}

function night(store: FullStore): Promise<ContactRecord> {
  return store.contacts.create(contact({ quiet: QUIET }))
}

/** A row of a contact that waits, an hour for the end of its quiet hours unless the case says otherwise. */
async function held(
  store: FullStore,
  contact_id: number,
  change: Partial<FinishedAttempt> = {},
): Promise<NotificationRecord> {
  const { id } = await queue(store, { contact_id })
  const [row] = await claim(store)
  assert.equal(row?.id, id)
  const wait = { attempts: 0, interruptions: 0, error: 'quiet_hours', due_at: T0 + HOUR, at: T0 }
  assert.ok(
    await store.notifications.finish({ id, claim: 1, status: 'queued', ...wait, ...change }),
  )
  return row
}

export const contactCases: Readonly<Record<string, Case>> = {
  'a contact is read back as it was written': async (store) => {
    const made = await store.contacts.create(contact({ all_monitors: true }))
    assert.deepEqual(made, { ...contact({ all_monitors: true }), id: made.id, version: 1 })
    assert.deepEqual(await store.contacts.get(made.id), made)
    assert.equal(await store.contacts.get(made.id + 1), undefined)
  },

  'quiet hours of a contact are read back, changed and removed': async (store) => {
    const made = await store.contacts.create(contact({ quiet: QUIET }))
    assert.deepEqual((await store.contacts.get(made.id))?.quiet, QUIET)
    await store.contacts.update(made.id, 1, { name: 'Night', updated_at: T0 + 1 })
    assert.deepEqual((await store.contacts.list(1))[0]?.quiet, QUIET)
    const later = { ...QUIET, during: 'drop' } as const
    await store.contacts.update(made.id, 2, { quiet: later })
    assert.deepEqual((await store.contacts.get(made.id))?.quiet, later)
    await store.contacts.update(made.id, 3, { quiet: null })
    assert.equal((await store.contacts.get(made.id))?.quiet, null)
  },

  'a change of quiet hours makes due what waits for their end, and nothing else': async (store) => {
    const [made, other] = [await night(store), await night(store)]
    const waiting = await held(store, made.id)
    const others = await held(store, other.id)
    const delayed = await queue(store, { contact_id: made.id, due_at: T0 + HOUR })
    const again = await held(store, made.id, { error: 'http_503' })
    const soon = await held(store, made.id, { due_at: T0 + 5 })
    const due = async () =>
      (
        await Promise.all(
          [waiting, others, delayed, again, soon].map(({ id }) => stored(store, id)),
        )
      ).map(({ due_at }) => due_at - T0)
    assert.deepEqual(await due(), [HOUR, HOUR, HOUR, HOUR, 5])

    await store.contacts.update(made.id, 1, { name: 'Day', updated_at: T0 + MINUTE })
    await store.contacts.update(made.id, 1, { quiet: null, updated_at: T0 + MINUTE })
    assert.deepEqual(await due(), [HOUR, HOUR, HOUR, HOUR, 5])
    assert.equal(await store.notifications.nextDue(), T0 + 5)
    await store.contacts.update(made.id, 2, { quiet: null, updated_at: T0 + MINUTE })
    assert.deepEqual(await due(), [MINUTE, HOUR, HOUR, HOUR, 5])
    const claimed = await claim(store, { now: T0 + MINUTE })
    assert.deepEqual(ids(claimed), [soon.id, waiting.id])
    // What is under way is judged already, and keeps its lease.
    await store.contacts.update(made.id, 3, { quiet: QUIET, updated_at: T0 + MINUTE + 1 })
    assert.equal((await stored(store, waiting.id)).status, 'sending')
  },

  'the window of a contact is read back and changed': async (store) => {
    const made = await store.contacts.create(contact({ group_window_sec: 300 }))
    assert.equal((await store.contacts.get(made.id))?.group_window_sec, 300)
    await store.contacts.update(made.id, 1, { group_window_sec: 0 })
    assert.equal((await store.contacts.get(made.id))?.group_window_sec, 0)
  },

  'the soft events of a contact are read back and changed': async (store) => {
    const made = await store.contacts.create(contact({ events: ['degraded', 'restored'] }))
    assert.deepEqual((await store.contacts.get(made.id))?.events, ['degraded', 'restored'])
    await store.contacts.update(made.id, 1, { name: 'Night' })
    assert.deepEqual((await store.contacts.list(1))[0]?.events, ['degraded', 'restored'])
    await store.contacts.update(made.id, 2, { events: [] })
    assert.deepEqual((await store.contacts.get(made.id))?.events, [])
  },

  'contacts are listed per account, lowest id first': async (store) => {
    const first = await store.contacts.create(contact())
    await store.contacts.create(contact({ account_id: await anotherAccount(store) }))
    const third = await store.contacts.create(contact({ name: 'Night' }))
    assert.deepEqual(await store.contacts.list(1), [first, third])
    assert.deepEqual(await store.contacts.list(9), [])
  },

  'what is handed out is a copy': async (store) => {
    const made = await store.contacts.create(contact())
    const tampered = made as { name: string; settings: Record<string, unknown> }
    tampered.name = 'changed'
    tampered.settings['url'] = 'changed'
    assert.deepEqual(await store.contacts.get(made.id), { ...contact(), id: made.id, version: 1 })
  },

  'what is handed in is copied': async (store) => {
    const settings: Record<string, string> = { url: 'https://hooks.example/1' }
    const made = await store.contacts.create(contact({ settings }))
    settings['url'] = 'changed'
    assert.equal((await store.contacts.get(made.id))?.settings['url'], 'https://hooks.example/1')
  },

  'an update changes the named fields, raises the version and answers with the whole record':
    async (store) => {
      const made = await store.contacts.create(contact())
      const change = {
        all_monitors: true,
        settings: { url: 'https://b.example' },
        updated_at: T0 + 5,
      }
      const updated = await store.contacts.update(made.id, 1, change)
      assert.deepEqual(updated, { ...made, ...change, version: 2 })
      assert.deepEqual(await store.contacts.get(made.id), updated)
      assert.equal(await store.contacts.update(made.id + 1, 1, { name: 'x' }), undefined)
    },

  'a contact changes only in the version that was read': async (store) => {
    const made = await store.contacts.create(contact())
    const changed = await store.contacts.update(made.id, 1, { name: 'Night' })
    for (const version of [1, 3])
      assert.equal(await store.contacts.update(made.id, version, { name: 'Lost' }), undefined)
    assert.deepEqual(await store.contacts.get(made.id), changed)
    assert.deepEqual(await store.contacts.list(1), [{ ...made, name: 'Night', version: 2 }])
  },

  'of several changes of a contact in one version, one is stored': async (store) => {
    const { id } = await store.contacts.create(contact())
    const names = ['a', 'b', 'c', 'd', 'e']
    const answers = await Promise.all(names.map((name) => store.contacts.update(id, 1, { name })))
    const [stored, ...more] = answers.filter((answer) => answer !== undefined)
    assert.deepEqual(more, [])
    assert.equal(stored?.version, 2)
    assert.deepEqual(await store.contacts.get(id), stored)
  },

  'removing a contact in another version changes nothing': async (store) => {
    const { id } = await store.contacts.create(contact())
    await store.contacts.update(id, 1, { name: 'Night' })
    const queued = await queue(store, { contact_id: id })
    assert.equal(await store.contacts.remove(id, 1), false)
    assert.equal((await store.contacts.get(id))?.name, 'Night')
    assert.equal((await stored(store, queued.id)).status, 'queued')
    assert.equal(await store.contacts.remove(id, 2), true)
    assert.equal(await store.contacts.get(id), undefined)
    assert.equal((await stored(store, queued.id)).error, 'contact_removed')
    assert.equal(await store.contacts.remove(id, 2), false)
  },

  'removing a contact cancels its queued notifications and leaves the rest': async (store) => {
    const gone = await store.contacts.create(contact())
    const other = await store.contacts.create(contact())
    const sending = await queue(store, { contact_id: gone.id })
    await claim(store)
    const queued = await queue(store, { contact_id: gone.id })
    const others = await queue(store, { contact_id: other.id })

    assert.equal(await store.contacts.remove(gone.id), true)
    assert.equal(await store.contacts.get(gone.id), undefined)
    const cancelled = await stored(store, queued.id)
    assert.equal(cancelled.status, 'cancelled')
    assert.equal(cancelled.error, 'contact_removed')
    assert.equal(typeof cancelled.finished_at, 'number')
    assert.equal((await stored(store, sending.id)).status, 'sending')
    assert.equal((await stored(store, others.id)).status, 'queued')
    assert.equal(await store.contacts.remove(gone.id), false)
  },

  'the last that each of some contacts was told is found, sent or not': async (store) => {
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(() => store.contacts.create(contact())),
    )
    const asked = [first, second, third].map((made) => made?.id ?? 0)
    const [a = 0, b = 0, c = 0] = asked
    const rows = []
    for (const contact_id of [a, a, b, b, c]) rows.push(await queue(store, { contact_id }))
    const claimed = await claim(store)
    for (const row of claimed.slice(0, 3)) {
      const end = {
        id: row.id,
        claim: row.claims,
        attempts: 1,
        interruptions: 0,
        error: null,
        at: T0,
      }
      const status = row.contact_id === a ? 'sent' : 'failed'
      assert.equal(await store.notifications.finish({ ...end, status }), true)
    }
    const told = await store.notifications.lastFinished([...asked, a, c + 1])
    assert.deepEqual(
      told.map(({ id }) => id).toSorted((x, y) => x - y),
      [rows[1]?.id, rows[2]?.id],
    )
    assert.deepEqual(await store.notifications.lastFinished([]), [])
  },

  'the id of a removed contact is not used again': async (store) => {
    const made = await store.contacts.create(contact())
    await store.contacts.remove(made.id)
    const next = await store.contacts.create(contact())
    assert.ok(next.id > made.id)
  },
}
