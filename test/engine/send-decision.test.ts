/** Whether a claimed notification is sent, waits, or is dropped. */
import { describe, expect, it } from 'vitest'
import type { Core } from '../../src/engine/core/core.ts'
import { createDecision } from '../../src/engine/delivery/decision.ts'
import { createRepetition } from '../../src/engine/delivery/repetition.ts'
import {
  ConfigurationError,
  NotFoundError,
  StorageError,
  UnreadableError,
} from '../../src/errors.ts'
import type {
  CommonSettings,
  NotificationRecord,
  QuietHours,
  Suppression,
} from '../../src/model.ts'
import { timeZones } from '../../src/model/time.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import {
  claim,
  commitOne,
  contact,
  firstAccount,
  incident,
  monitor,
  on,
  queue,
} from '../../src/testing/store-suite/case.ts'
import { cachedMonitor } from './cached-monitor.ts'

/** A Thursday, in the night of the contact. */
const NIGHT = Date.UTC(2026, 0, 1, 23)
const MORNING = Date.UTC(2026, 0, 2, 7)
const NOON = Date.UTC(2026, 0, 2, 12)
const HOUR = 3_600_000

const NIGHTS: QuietHours = {
  time_zone: 'UTC',
  hours: [{ from: '22:00', to: '07:00', weekdays: [] }],
  ...{ during: 'wait', ended: 'notify', except_tags: [] },
}

interface Given {
  readonly at?: number
  readonly quiet?: Partial<QuietHours> | null
  readonly group_window_sec?: number
  readonly common?: Partial<CommonSettings>
  readonly suppression?: Suppression
  /** What reading the monitor fails with; `reads`: so many times, always by default. */
  readonly unread?: Error
  readonly reads?: number
  readonly stopping?: AbortSignal
}

async function situation(given: Given = {}) {
  const { at = NOON, quiet = null, group_window_sec = 0, common = {} } = given
  const store = memoryStore()
  await store.open()
  await firstAccount(store)
  const told = await store.contacts.create(
    contact({
      kind: 'recorder',
      group_window_sec,
      quiet: quiet === null ? null : { ...NIGHTS, ...quiet },
    }),
  )
  const [record] = [await store.monitors.create(monitor())]
  const opened = await commitOne(store, on(record, { open_incident: incident() }))
  const incident_id = opened.incident_id ?? 0
  const clock = simulatedClock({ now: at })
  const errors: string[] = []
  const say = (of: { err: Error; notification_id: number }, text: string) =>
    void errors.push(`${of.notification_id} ${text}: ${of.err.message}`)
  const kind = { kind: 'recorder' }
  const core = {
    ...{ store, clock, zones: timeZones(), contactKinds: new Map([['recorder', kind]]) },
    log: { error: say, warn: say },
  } as unknown as Core
  const suppression = given.suppression === undefined ? {} : { suppression: given.suppression }
  const cached = cachedMonitor({
    id: record.id,
    common,
    machine: { incident: { id: incident_id, started_at: 0, cause_code: '', ...suppression } },
  })
  let { reads = Infinity } = given
  const monitorCache = {
    get: () =>
      given.unread === undefined || reads-- <= 0
        ? Promise.resolve(cached)
        : Promise.reject(given.unread),
  } as never
  const repetition = createRepetition(core, monitorCache)
  const decideUntil = createDecision({ core, monitorCache, repetition })
  const { stopping = new AbortController().signal } = given
  const decide = (row: NotificationRecord) => decideUntil(row, stopping)
  const of = { monitor_id: record.id, incident_id }
  return {
    ...{ store, clock, decide, kind, told, of, errors },
    add: (event: string, change: object = {}) => queue(store, { event, ...of, ...change }),
    /** Ends this row as the outbox does, after an attempt with such an error if there was one. */
    async ended(
      row: NotificationRecord,
      status: 'sent' | 'failed' | 'cancelled',
      error: string | null,
      attempted = true,
    ) {
      const [claimed] = await claim(store, { now: at })
      expect(claimed?.id).toBe(row.id)
      const attempt = { at, duration_ms: 1, http_status: null, error, answer: null }
      await store.notifications.finish({
        ...{ id: row.id, claim: 1, status, attempts: 1, interruptions: 0, error, at },
        ...(attempted ? { attempt } : {}),
      })
    },
    endIncident: () =>
      commitOne(
        store,
        on(record, {
          update_incident: { id: incident_id, ended_at: at, closed_reason: 'recovered' },
        }),
      ),
  }
}

describe('a notification that is due', () => {
  it('is sent to its contact, as the kind of the contact does', async () => {
    const { add, decide, kind, told } = await situation()
    const row = await add('down')
    expect(await decide(row)).toEqual({ contact: told, kind, row })
  })

  it('is cancelled where its contact is gone, and fails where nobody knows its kind', async () => {
    const { add, decide, store } = await situation()
    const row = await add('down', { contact_id: 99 })
    expect(await decide({ ...row, attempts: 2, interruptions: 1 })).toEqual({
      ...{ status: 'cancelled', error: 'contact_deleted', attempts: 2, interruptions: 1, at: NOON },
    })
    const other = await store.contacts.create(contact({ kind: 'pigeon' }))
    expect(await decide(await add('down', { contact_id: other.id }))).toMatchObject({
      ...{ status: 'failed', error: 'unknown_contact_kind' },
    })
  })

  it('waits for the others of its contact where that groups', async () => {
    const { add, decide } = await situation({ group_window_sec: 60 })
    expect(await decide(await add('down'))).toMatchObject({ status: 'queued', error: 'grouped' })
  })
})

describe('an attempt that was interrupted', () => {
  it.each([
    [3, undefined, 0],
    [4, 'queued', 1],
    [7, 'queued', 4],
    [8, 'failed', 5],
  ])('for the %dth time: %s', async (interruptions, status, attempts) => {
    const { add, decide } = await situation({ common: { notify_repeat_min: 30 } })
    const decided = await decide({ ...(await add('down')), interruptions })
    if (status === undefined) expect(decided).toHaveProperty('contact')
    else expect(decided).toMatchObject({ status, attempts, error: 'interrupted', at: NOON })
    // The next repeat is planned with the end of the one before.
    expect('then' in decided).toBe(status === 'failed')
  })
})

it('an interruption that counts is followed by the pause of a failed attempt', async () => {
  const { add, decide } = await situation()
  const decided = await decide({ ...(await add('down')), interruptions: 4 })
  const pause_ms = 'due_at' in decided ? (decided.due_at ?? 0) - NOON : 0
  // Longer by what the clock has drawn.
  expect(pause_ms).toBeGreaterThan(30_000)
  expect(pause_ms).toBeLessThanOrEqual(33_000)
})

describe('a recovery', () => {
  it.each<[string, 'sent' | 'failed' | 'cancelled', string | null, boolean]>([
    ['arrived', 'sent', null, true],
    ['may have arrived', 'failed', 'timeout', true],
    ['did not arrive', 'failed', 'connect_refused', false],
    ['may have arrived, and was cancelled', 'cancelled', 'timeout', true],
    ['was cancelled before it was sent', 'cancelled', 'recovered', false],
  ])('is sent where the beginning %s', async (what, status, error, sent) => {
    const { add, decide, ended } = await situation()
    await ended(await add('down'), status, error, what !== 'was cancelled before it was sent')
    const decided = await decide(await add('up'))
    if (sent) expect(decided).toHaveProperty('contact')
    else expect(decided).toMatchObject({ status: 'cancelled', error: 'down_never_sent', at: NOON })
    expect('contact' in (await decide(await add('acknowledged')))).toBe(sent)
  })

  it('is not sent to a contact that waits for its beginning, nor for what another was told', async () => {
    const { add, decide, ended } = await situation()
    await ended(await add('down', { contact_id: 7 }), 'sent', null)
    expect(await decide(await add('up'))).toMatchObject({ error: 'down_never_sent' })
  })

  it('is sent where one of many attempts may have arrived', async () => {
    const { add, decide, ended } = await situation()
    await ended(await add('down'), 'failed', 'timeout')
    for (let n = 0; n < 200; n++) await ended(await add('repeat'), 'failed', 'connect_refused')
    expect(await decide(await add('up'))).toHaveProperty('contact')
  })

  it('of no incident is sent', async () => {
    const { add, decide } = await situation()
    expect(await decide(await add('up', { incident_id: null }))).toHaveProperty('contact')
  })
})

describe('a repeat', () => {
  /** A repeat of an incident whose beginning was sent. */
  async function repeating(change: object = {}) {
    const made = await situation()
    await made.ended(await made.add('down'), 'sent', null)
    return { ...made, row: await made.add('repeat', { repeat: 1, ...change }) }
  }

  it('is cancelled where a later one of the contact waits, and the later one is sent', async () => {
    const { add, decide, row } = await repeating()
    const later = await add('repeat', { repeat: 1, due_at: row.due_at + HOUR })
    await add('acknowledged')
    expect(await decide(row)).toEqual({
      ...{
        status: 'cancelled',
        error: 'repeat_superseded',
        attempts: 0,
        interruptions: 0,
        at: NOON,
      },
    })
    expect(await decide(later)).toHaveProperty('contact')
  })

  it.each<[string, object]>([
    ['is no repeat', { repeat: 0, event: 'acknowledged' }],
    ['is that of another contact', { contact_id: 7 }],
    ['is that of another incident', { incident_id: 99 }],
  ])('is sent where a later notification %s', async (_, change) => {
    const { add, decide, row } = await repeating()
    await add('repeat', { repeat: 1, ...change })
    expect(await decide(row)).toHaveProperty('contact')
  })

  it('of no incident is sent', async () => {
    const { add, decide, row } = await repeating({ incident_id: null })
    await add('repeat', { repeat: 1, incident_id: null })
    expect(await decide(row)).toHaveProperty('contact')
  })

  it('alone supersedes: what is no repeat is sent beside one that waits', async () => {
    const { add, decide, row } = await repeating()
    const before = { ...row, id: row.id - 1, repeat: 0 }
    await add('repeat', { repeat: 1 })
    expect(await decide(before)).toHaveProperty('contact')
  })
})

describe('in quiet hours', () => {
  const at = NIGHT
  const quiet = {}

  it('a notification waits for their end, as one that was never tried', async () => {
    const { add, decide } = await situation({ at, quiet })
    expect(await decide(await add('down'))).toEqual({
      ...{ status: 'queued', due_at: MORNING, error: 'quiet_hours', at },
      ...{ attempts: 0, interruptions: 0 },
    })
  })

  it.each<[string, Partial<NotificationRecord>]>([
    ['a test', { event: 'test' }],
    ['one that was tried', { attempts: 1 }],
    [
      'one whose attempt was interrupted before they began',
      { interruptions: 1, sent_at: NIGHT - 2 * HOUR },
    ],
    [
      'one whose attempt was interrupted at a time that nobody knows',
      { interruptions: 1, sent_at: null },
    ],
  ])('%s is sent', async (_, change) => {
    const { add, decide } = await situation({ at, quiet })
    expect(await decide({ ...(await add('down')), ...change })).toHaveProperty('contact')
  })

  it('one that was interrupted in them waits, and begins anew', async () => {
    const { add, decide } = await situation({ at, quiet })
    const row = { ...(await add('down')), interruptions: 1, sent_at: at - HOUR }
    expect(await decide(row)).toMatchObject({ due_at: MORNING, interruptions: 0 })
    // The quiet hours of that claim have ended: its receiver may know the body.
    const later = await situation({ at: NIGHT + 24 * HOUR, quiet })
    expect(
      await later.decide({ ...(await later.add('down')), interruptions: 1, sent_at: at }),
    ).toHaveProperty('contact')
    const claimed = { interruptions: 1, sent_at: at - HOUR }
    const without = await situation({ at })
    expect(await without.decide({ ...(await without.add('down')), ...claimed })).toHaveProperty(
      'contact',
    )
    const always = await situation({ at })
    expect(await always.decide({ ...(await always.add('down')), interruptions: 1 })).toHaveProperty(
      'contact',
    )
  })

  it('a first notification is dropped where the contact wants that, and what follows one waits', async () => {
    const { add, decide, ended } = await situation({ at, quiet: { during: 'drop' } })
    const row = await add('down')
    expect(await decide(row)).toEqual({
      ...{ status: 'cancelled', error: 'quiet_hours', attempts: 0, interruptions: 0, at },
    })
    await ended(row, 'sent', null)
    const waits = { status: 'queued', error: 'quiet_hours' }
    expect(await decide(await add('up'))).toMatchObject(waits)
    expect(await decide(await add('repeat', { repeat: 1 }))).toMatchObject(waits)
  })

  it('a monitor with an excepted tag is sent', async () => {
    const tagged = (tags: string[], unread?: Error) =>
      situation({
        at,
        quiet: { except_tags: ['a', 'Pager'] },
        common: { tags },
        ...(unread ? { unread } : {}),
      })
    const exempt = await tagged(['b', 'PAGER'])
    expect(await exempt.decide(await exempt.add('down'))).toHaveProperty('contact')
    const others = [
      await tagged(['b']),
      await tagged([]),
      await tagged(['a'], new NotFoundError('monitor')),
    ]
    for (const { add, decide } of others)
      expect(await decide(await add('down'))).toMatchObject({ error: 'quiet_hours' })
    expect(await exempt.decide(await exempt.add('down', { monitor_id: null }))).toMatchObject({
      error: 'quiet_hours',
    })
    // Whether it has the tag is not known: the row is tried again.
    const unread = await tagged(['a'], new StorageError('no'))
    await expect(unread.decide(await unread.add('down'))).rejects.toThrow(StorageError)
  })
})

describe('after quiet hours', () => {
  const at = MORNING
  const WAITED = { error: 'quiet_hours' }

  it.each<[string, Partial<QuietHours>, boolean, boolean, boolean]>([
    ['still lasts', {}, false, false, true],
    ['still lasts, of whose end the contact wants nothing', { ended: 'skip' }, false, false, true],
    ['has ended', {}, true, true, false],
    ['has ended, and nothing follows it', {}, true, false, true],
    ['has ended, of which the contact wants nothing', { ended: 'skip' }, true, false, false],
  ])('the beginning of an outage that %s', async (_, quiet, isOver, isFollowed, sent) => {
    const { add, decide, endIncident } = await situation({ at, quiet })
    const row = { ...(await add('down')), ...WAITED }
    if (isOver) await endIncident()
    if (isFollowed) await add('up')
    const decided = await decide(row)
    if (sent) expect(decided).toHaveProperty('contact')
    else
      expect(decided).toEqual({
        ...{ status: 'cancelled', error: 'ended_in_quiet_hours', at },
        ...{ attempts: 0, interruptions: 0 },
      })
  })

  it.each<[string, string, object]>([
    ['a repeat', 'repeat', { repeat: 1 }],
    ['what belongs to no incident', 'ssl_expiring', { incident_id: null }],
    ['what belongs to an incident that is gone', 'down', { incident_id: 999 }],
  ])('%s is sent', async (_, event, change) => {
    const { add, decide, endIncident } = await situation({ at, quiet: { ended: 'skip' } })
    await endIncident()
    expect(await decide({ ...(await add(event, change)), ...WAITED })).toHaveProperty('contact')
  })

  it('what has not waited for them is sent, and what waited for hours that are no more', async () => {
    const { add, decide, endIncident } = await situation({ at, quiet: { ended: 'skip' } })
    await endIncident()
    expect(await decide(await add('down'))).toHaveProperty('contact')
    const removed = await situation({ at })
    expect(await removed.decide({ ...(await removed.add('down')), ...WAITED })).toHaveProperty(
      'contact',
    )
  })

  it('the end of such an outage is sent as one message, or not at all', async () => {
    const quietly = async (quiet: Partial<QuietHours> | null) => {
      const { add, decide, ended } = await situation({ at, quiet })
      await ended(await add('down'), 'cancelled', 'ended_in_quiet_hours', false)
      return decide(await add('up', { payload: '{"event":"up","monitor":null}' }))
    }
    expect(await quietly({})).toMatchObject({
      row: { event: 'outage', payload: '{"event":"outage","monitor":null}' },
    })
    // The contact has no quiet hours any more.
    expect(await quietly(null)).toMatchObject({ row: { event: 'outage' } })
    expect(await quietly({ ended: 'skip' })).toMatchObject({
      ...{ status: 'cancelled', error: 'ended_in_quiet_hours', at },
    })
  })

  it('an acknowledgement of such an outage is not sent', async () => {
    const { add, decide, ended } = await situation({ at, quiet: {} })
    await ended(await add('down'), 'cancelled', 'ended_in_quiet_hours', false)
    expect(await decide(await add('acknowledged'))).toMatchObject({ error: 'down_never_sent' })
  })
})

describe('the repeat that follows', () => {
  const common = { notify_repeat_min: 30, notify_repeat_max: 2 }
  const repeated = async (given: Given, event = 'down', change: object = {}, wait_ms = 0) => {
    const { add, clock, decide, errors } = await situation({ common, ...given })
    const deciding = decide({ ...(await add(event, change)), interruptions: 8 })
    await clock.advance(wait_ms)
    const decided = await deciding
    return { then: 'then' in decided ? decided.then : undefined, errors }
  }

  it('has the number and the time that the settings say', async () => {
    const payload = '{"event":"down","monitor":null}'
    expect((await repeated({}, 'down', { payload })).then).toEqual({
      ...{ event: 'repeat', due_at: NOON + 30 * 60_000, repeat: 1 },
      payload: '{"event":"repeat","monitor":null,"repeat":{"n":1,"max":2}}',
    })
    expect((await repeated({}, 'repeat', { repeat: 1, payload })).then).toMatchObject({ repeat: 2 })
  })

  it.each<[string, Given, string, object]>([
    ['the last one', {}, 'repeat', { repeat: 2 }],
    ['what belongs to no incident', {}, 'ssl_expiring', { incident_id: null }],
    ['what belongs to no monitor', {}, 'down', { monitor_id: null }],
    ['a monitor that is gone', { unread: new NotFoundError('monitor') }, 'down', {}],
    [
      'an incident that is suppressed',
      { suppression: { reason: 'flapping', by: null, rounds: 0 } },
      'down',
      {},
    ],
  ])('is none after %s', async (_, given, event, change) => {
    expect(await repeated(given, event, change)).toEqual({ then: undefined, errors: [] })
  })

  const unread = new StorageError('no')
  const LEFT_OUT = '1 a repeat could not be planned: no'

  it('is planned once the monitor can be read again, for the time that was its own', async () => {
    expect(await repeated({ unread, reads: 3 }, 'down', {}, 3000)).toEqual({
      then: expect.objectContaining({ repeat: 1, due_at: NOON + 30 * 60_000 }) as unknown,
      errors: Array(3).fill('1 a repeat could not be planned yet: no'),
    })
  })

  it.each<[string, Given, number]>([
    ['for five minutes', { unread }, 300_000],
    ['and the engine stops', { unread, stopping: AbortSignal.abort() }, 0],
    ['since it is damaged', { unread: new UnreadableError('no') }, 0],
    ['since its secrets are sealed otherwise', { unread: new ConfigurationError('no') }, 0],
  ])(
    'is left out where it cannot be read %s: what was sent is not sent again',
    async (...[, given, ms]) => {
      const { then, errors } = await repeated(given, 'down', {}, ms)
      expect(then).toBeUndefined()
      expect(errors.at(-1)).toBe(LEFT_OUT)
      expect(errors).toHaveLength(1 + ms / 1000)
    },
  )

  it('is none after a recovery', async () => {
    const { add, of, store } = await situation({ common })
    const { signal } = new AbortController()
    const repetition = createRepetition({ clock: simulatedClock() } as never, {
      get: () => Promise.resolve(cachedMonitor({ common })),
    })
    expect(await repetition(await add('up'), NOON, signal)).toEqual({})
    expect(await repetition(await add('acknowledged'), NOON, signal)).toEqual({})
    expect(
      await repetition(await queue(store, { event: 'down', ...of }), NOON, signal),
    ).toHaveProperty('then')
  })
})
