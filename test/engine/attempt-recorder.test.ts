/** How the result of an attempt is recorded and announced. */
import { describe, expect, it } from 'vitest'
import { createAttemptRecorder } from '../../src/engine/delivery/attempt-recorder.ts'
import { createAttemptsUnderWay } from '../../src/engine/delivery/attempts-under-way.ts'
import { createAwaitedEnds } from '../../src/engine/delivery/awaited-ends.ts'
import type { AttemptOutcome } from '../../src/engine/delivery/outcome.ts'
import type { NotificationRecord } from '../../src/model.ts'
import { claim, monitor } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { outboxRig } from './outbox-rig.ts'

const ATTEMPT = { n: 1, at: NOON, duration_ms: 5, http_status: 200, error: null, answer: 'ok' }
const SENT: AttemptOutcome = {
  ...{ status: 'sent', attempts: 1, interruptions: 0, error: null, at: NOON },
  attempt: ATTEMPT,
}
const AGAIN: AttemptOutcome = { ...SENT, status: 'queued', due_at: NOON + 60_000 }

/** As many rows as asked for, each with an attempt that runs. */
async function recorderRig({
  rows: count = 1,
  started = true,
  monitor_id = null as null | number,
} = {}) {
  const rig = await outboxRig()
  const { core, store, clock } = rig
  await store.monitors.create(monitor({ metadata: { team: 'a' } }))
  for (let n = 1; n <= count; n++) await rig.queue({ contact_id: n, monitor_id })
  const rows = await claim(store, { now: NOON })
  const underWay = createAttemptsUnderWay()
  for (const row of rows) underWay.begin(row, () => new Promise(() => undefined))
  const awaited = createAwaitedEnds(core)
  const recorder = createAttemptRecorder({ core, underWay, awaited })
  if (started) recorder.start()
  const events: unknown[] = []
  /** What has become of each recording. */
  const ends: string[] = []
  return {
    ...rig,
    ...{ rig, rows, awaited, underWay, recorder, ends, events },
    listen: () => core.events.on('notification', (event) => events.push(event)),
    async record(outcome: AttemptOutcome = SENT, row: NotificationRecord | undefined = rows[0]) {
      recorder.record(row as NotificationRecord, outcome).then(
        () => ends.push('recorded'),
        (error: Error) => ends.push(error.message),
      )
      await clock.settle()
    },
    stored: async (id = 1) => (await store.notifications.get(id))?.status,
  }
}

describe('a result', () => {
  it('is recorded with its attempt, under the claim of the row', async () => {
    const { record, store, ends, logged } = await recorderRig()
    await record()
    expect(ends).toEqual(['recorded'])
    expect(await store.notifications.get(1)).toMatchObject({ status: 'sent', attempts: 1 })
    const attempts = await store.notifications.attempts([1])
    expect(attempts).toEqual([{ ...ATTEMPT, notification_id: 1, claim: 1 }])
    expect(logged).toEqual([])
  })

  it('waits for the others that are about to end, at most 5 ms', async () => {
    const { record, ends, rows, clock, underWay } = await recorderRig({ rows: 3 })
    await record()
    await clock.advance(4)
    expect(ends).toEqual([])
    await record(SENT, rows[1])
    await clock.advance(1)
    expect(ends).toEqual(['recorded', 'recorded'])
    // Those that wait for a slow response are not about to end.
    underWay.markSlow(rows.slice(0, 2))
    await record(SENT, rows[2])
    expect(ends).toHaveLength(3)
  })

  it('does not wait while the engine stops', async () => {
    const { record, ends, recorder, clock } = await recorderRig({ rows: 2 })
    recorder.stop()
    await record()
    expect([ends, clock.pending]).toEqual([['recorded'], 0])
  })

  it('of a row that another process has taken over is dropped, and logged', async () => {
    const { record, store, stored, ends, logged, listen, events } = await recorderRig()
    listen()
    await claim(store, { now: NOON + 60_000 })
    await record()
    expect([ends, await stored(), events]).toEqual([['recorded'], 'sending', []])
    expect(logged).toEqual([
      'warn: a notification was taken over by another process: notification_id 1',
    ])
  })
})

it('counts what another process has recorded before the row was claimed here again', async () => {
  const { record, rows, store, underWay } = await recorderRig()
  const [first] = rows
  const [taken] = await claim(store, { now: NOON + 60_000 })
  const theirs = { id: 1, claim: taken?.claims ?? 0, attempts: 1, interruptions: 1 }
  const failed = { status: 'queued', error: 'http_502', at: NOON, due_at: NOON } as const
  await store.notifications.finish({ ...theirs, ...failed })
  const [again] = await claim(store, { now: NOON + 120_000 })
  underWay.begin(again!, () => Promise.reject(new Error('The first attempt runs')))
  await record({ ...AGAIN, attempts: 0, interruptions: 0, error: 'lease_over' }, first)
  expect(await store.notifications.get(1)).toMatchObject({
    ...{ status: 'queued', attempts: 1, interruptions: 1, error: 'lease_over' },
    // The body of the next attempt has the time of the first.
    sent_at: again?.sent_at,
  })
})

describe('a store that fails', () => {
  it('is tried again every second', async () => {
    const { rig, record, ends, clock, logged, stored } = await recorderRig()
    rig.trouble = true
    await record()
    await clock.advance(2999)
    expect(logged).toEqual(
      Array.from(
        { length: 3 },
        () => 'warn: a delivery could not be recorded yet: notification_id 1: the disk is full',
      ),
    )
    rig.trouble = false
    await clock.advance(1)
    expect([ends, await stored()]).toEqual([['recorded'], 'sent'])
  })

  it.each([
    ['five minutes', true, 300_000],
    ['15 s while the engine stops', false, 15_000],
  ])('is given up after %s', async (_, started, ms) => {
    const { rig, record, ends, clock } = await recorderRig({ started })
    await clock.advance(1000)
    rig.trouble = true
    await record()
    await clock.advance(ms - 1)
    expect(ends).toEqual([])
    await clock.advance(1)
    expect(ends).toEqual(['the disk is full'])
  })
})

describe('the end of a notification', () => {
  it('is announced with its attempts and the metadata of its monitor', async () => {
    const { record, listen, events } = await recorderRig({ monitor_id: 1 })
    listen()
    await record()
    expect(events).toEqual([
      expect.objectContaining({
        ...{ id: 1, status: 'sent', account_id: 1, monitor_id: 1, metadata: { team: 'a' } },
        attempts: [
          {
            at: '2026-01-01T12:00:00.000Z',
            duration_ms: 5,
            http_status: 200,
            error: null,
            answer: 'ok',
          },
        ],
      }),
    ])
  })

  it.each([
    ['of no monitor', null],
    ['of a monitor that is gone', 77],
  ])('has no metadata where it is %s', async (_, monitor_id) => {
    const { record, listen, events } = await recorderRig({ monitor_id })
    listen()
    await record()
    expect(events).toMatchObject([{ monitor_id, metadata: {} }])
  })

  it('is told to whoever waits for it', async () => {
    const { record, awaited, clock, events, store } = await recorderRig({ monitor_id: 1 })
    // Nobody listens, so that the monitor is not read.
    Object.assign(store.monitors, { get: () => Promise.reject(new Error('read')) })
    const end = awaited.of(1)
    await record()
    expect(await end).toMatchObject({ id: 1, status: 'sent' })
    await clock.settle()
    expect(events).toEqual([])
  })

  it('is not read where nobody asks', async () => {
    const { record, store, ends, logged } = await recorderRig()
    Object.assign(store.notifications, { get: () => Promise.reject(new Error('read')) })
    await record()
    expect([ends, logged]).toEqual([['recorded'], []])
  })

  it('is none where another attempt follows', async () => {
    const { record, listen, events, stored } = await recorderRig()
    listen()
    await record(AGAIN)
    expect([events, await stored()]).toEqual([[], 'queued'])
  })

  it('stands, and is logged, where it cannot be announced', async () => {
    const { core, record, store, listen, ends, logged, stored } = await recorderRig()
    const errors: unknown[] = []
    core.events.on('error', (error) => errors.push(error))
    listen()
    const failure = new Error('the disk is full')
    Object.assign(store.notifications, { attempts: () => Promise.reject(failure) })
    await record()
    expect([ends, await stored()]).toEqual([['recorded'], 'sent'])
    const text = 'the end of a notification is recorded and could not be announced'
    expect(logged).toEqual([`error: ${text}: the disk is full`])
    expect(errors).toEqual([failure])
  })
})
