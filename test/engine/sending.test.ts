/** The outbox on a store in memory: what it sends, records and repeats, and how it stops. */
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import type { Core } from '../../src/engine/core/core.ts'
import { createOutbox } from '../../src/engine/delivery/outbox.ts'
import type { DeliveryLimits } from '../../src/engine/delivery/claiming.ts'
import type { Changed } from '../../src/engine/monitors/cached-monitor.ts'
import type { ContactRecord } from '../../src/model.ts'
import { createSeal } from '../../src/seal.ts'
import { contact, incident, monitor } from '../../src/testing/store-suite/case.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { AttemptResult, Delivery, DeliveryContext } from '../../src/webhook/contact-kind.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { certificates } from '../support/certificates.ts'
import { serve } from '../support/http-exchange.ts'
import { listening } from '../support/listening.ts'
import { NOON } from './cached-monitor.ts'
import { monitorsRig } from './monitors-rig.ts'
import { RECORDER } from './recorder-kind.ts'

const MINUTE = 60_000

interface Sent {
  readonly ctx: DeliveryContext
  readonly settings: object
  readonly delivery: Delivery
  readonly at: number
}

function result(change: Partial<AttemptResult> = {}): AttemptResult {
  return {
    ...{ class: 'delivered', http_status: 200, error: null, answer: 'ok', duration_ms: 5 },
    ...{ retry_after_ms: null, ...change },
  }
}
const temporary = result({ class: 'temporary', http_status: 503, error: 'http_503', answer: null })

const PROXY = { url: 'http://127.0.0.1:9' }
/** Repeats what it has told after two minutes. */
const repeating = {
  ...monitor(),
  ...{ type: 'plain', settings: {} },
  common: { ...monitor().common, warn: {}, notify_repeat_min: 2, notify_repeat_max: 3 },
}

type Answer = (sent: Sent, nth: number) => AttemptResult | Promise<AttemptResult>

/** Contacts of a kind that answers as the test says. */
async function sending(
  answer: Answer = () => result(),
  limits: DeliveryLimits = {},
  host: Partial<Core> = {},
) {
  const rig = await monitorsRig()
  const { store, clock, monitorCache } = rig
  const sent: Sent[] = []
  const kind = defineContactKind({
    ...RECORDER,
    async deliver(ctx, settings, delivery) {
      const each = { ctx, settings, delivery, at: clock.now() - NOON }
      return answer(each, sent.push(each))
    },
  })
  const contactKinds = new Map([['recorder', kind]])
  const core: Core = Object.assign(rig.core, { contactKinds, ...host })
  const outbox = createOutbox({ core, monitorCache, limits })
  onTestFinished(() => outbox.stop(0))
  return {
    ...{ ...rig, core, outbox, sent },
    /** A row that is repeated where it does not arrive. */
    queue: (change: Parameters<typeof rig.queue>[0] = {}) =>
      rig.queue({ event: 'down', ...change }),
    add: (change: Partial<ContactRecord> = {}) =>
      store.contacts.create(contact({ kind: 'recorder', settings: { to: 'ops' }, ...change })),
    async start() {
      outbox.start()
      await clock.settle()
    },
    row: async (id = 1) => store.notifications.get(id),
  }
}

/** What the outbox follows: a change that has queued these rows. */
const queuedBy = (notification_ids: readonly number[]) =>
  ({ committed: { notification_ids } }) as unknown as Changed

describe('a notification', () => {
  it('that waits at the start is sent, with the settings of its contact in clear', async () => {
    const all = await sending()
    const { core, add, queue, start, sent, row } = all
    Object.assign(core, { seal: createSeal(Buffer.alloc(32, 1)) })
    const secret = core.seal.encrypt('topsecret', 'contact.secret')
    await add({ settings: { to: 'ops', secret } })
    await queue({ event: 'down', payload: '{"event":"down"}' })
    await start()
    expect(sent).toMatchObject([{ settings: { to: 'ops', secret: 'topsecret' } }])
    expect(sent[0]?.delivery).toMatchObject({ notification_id: 1, event: 'down' })
    expect(await row()).toMatchObject({ status: 'sent', attempts: 1, finished_at: NOON })
    expect(await all.store.notifications.attempts([1])).toMatchObject([{ http_status: 200 }])
  })

  it('is sent once a change has queued it, and not because of any other', async () => {
    const { outbox, add, queue, start, sent, clock } = await sending()
    await add()
    await start()
    await queue()
    outbox.follow(queuedBy([]))
    await clock.settle()
    expect(sent).toEqual([])
    outbox.follow(queuedBy([1]))
    await clock.settle()
    expect(sent).toHaveLength(1)
  })

  it('is not sent where its contact is gone, or of a kind that nobody knows', async () => {
    const { add, queue, start, sent, row } = await sending()
    await add({ kind: 'unheard_of' })
    await queue({ contact_id: 1 })
    await queue({ contact_id: 7 })
    await start()
    expect(sent).toEqual([])
    expect(await row(1)).toMatchObject({ status: 'failed', error: 'unknown_contact_kind' })
    expect(await row(2)).toMatchObject({ status: 'cancelled', error: 'contact_deleted' })
  })

  it('is repeated after a pause where it did not arrive', async () => {
    const { add, queue, start, sent, clock, row } = await sending((_, nth) =>
      nth === 1 ? temporary : result(),
    )
    await add()
    await queue()
    await start()
    const { status, error, due_at = 0 } = (await row()) ?? {}
    expect([status, error, due_at > NOON]).toEqual(['queued', 'http_503', true])
    // Not to the second: receivers that failed together are not asked together.
    expect((due_at - NOON) % 1000).not.toBe(0)
    await clock.advance(due_at - NOON - 1)
    expect(sent).toHaveLength(1)
    await clock.advance(1000)
    expect([sent.length, (await row())?.status]).toEqual([2, 'sent'])
  })

  it('goes out with the others of its window, and is repeated with them', async () => {
    const all = await sending((_, nth) => (nth === 1 ? temporary : result()))
    const { add, queue, start, sent, clock, row } = all
    await add({ group_window_sec: 60 })
    for (let n = 0; n < 3; n++) await queue({ event: 'down', payload: `{"n":${n}}` })
    await start()
    expect(sent).toEqual([])
    expect(await row()).toMatchObject({ status: 'queued', error: 'grouped' })
    await clock.advance(MINUTE)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.delivery.event).toBe('digest')
    const due = await Promise.all([1, 2, 3].map(async (id) => (await row(id))?.due_at))
    expect(new Set(due).size).toBe(1)
    expect(((due[0] ?? 0) - NOON) % 1000).not.toBe(0)
    await clock.advance(30 * MINUTE)
    expect(sent).toHaveLength(2)
    for (const id of [1, 2, 3]) expect(await row(id)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('goes out without those of its window that are not sent, each with an end of its own', async () => {
    const { add, queue, start, sent, clock, row, store } = await sending()
    await add({ group_window_sec: 60 })
    for (let n = 0; n < 3; n++) await queue({ event: 'down', incident_id: n })
    await start()
    const get = store.contacts.get.bind(store.contacts)
    let reads = 0
    Object.assign(store.contacts, {
      get: (id: number) => {
        reads += 1
        if (reads === 2) return Promise.reject(new StorageError('the disk is full'))
        return reads === 3 ? Promise.resolve(undefined) : get(id)
      },
    })
    await clock.advance(MINUTE)
    expect(sent.map(({ delivery }) => [delivery.notification_id, delivery.event])).toEqual([
      [1, 'down'],
    ])
    expect(await row(1)).toMatchObject({ status: 'sent' })
    expect(await row(2)).toMatchObject({ status: 'queued' })
    expect(await row(3)).toMatchObject({ status: 'cancelled', error: 'contact_deleted' })
  })

  it.each([
    ['waits for one', new StorageError('the disk is full'), 1, ['storage', 'storage', 'storage']],
    ['waits for none', new TypeError('a mistake'), 2, [null, 'internal_error', null]],
  ])('that is repeated with its window %s before which the store fails: %s', async (...given) => {
    const [, failure, messages, errors] = given
    const all = await sending((_, nth) => (nth === 1 ? temporary : result()))
    const { add, queue, start, sent, clock, row, store } = all
    await add({ group_window_sec: 60 })
    for (let n = 0; n < 3; n++) await queue({ event: 'down', incident_id: n })
    await start()
    await clock.advance(MINUTE)
    expect(sent).toHaveLength(1)
    const get = store.contacts.get.bind(store.contacts)
    let reads = 0
    Object.assign(store.contacts, {
      get: (id: number) => (++reads === 2 ? Promise.reject(failure) : get(id)),
    })
    const due = (await row(1))?.due_at ?? 0
    await clock.advance(due - clock.now() + 5)
    expect(reads).toBe(3)
    expect(sent).toHaveLength(messages)
    const ends = await Promise.all([1, 2, 3].map(async (id) => (await row(id))?.error))
    expect(ends).toEqual(errors)
  })

  it('is followed by a repeat while its incident is open, once it is final', async () => {
    const rig = await sending((_, nth) => (nth === 1 ? temporary : result()))
    const { add, queue, start, clock, store, monitorCache } = rig
    await add()
    const { record } = await monitorCache.get((await store.monitors.create(repeating)).id)
    const open_incident = incident({ started_at: NOON, detected_at: NOON })
    const change = { monitor_id: record.id, revision: 1, at: NOON, open_incident }
    const changed = await monitorCache.change(record.id, () => ({ change }))
    const incident_id = changed?.committed.incident_id ?? null
    await queue({ monitor_id: record.id, incident_id, payload: '{"event":"down"}' })
    await start()
    const list = async () =>
      (await store.notifications.list({ account_id: 1, limit: 9 })).map(({ event }) => event)
    expect(await list()).toEqual(['down'])
    await clock.advance(2 * MINUTE)
    expect(await list()).toEqual(['repeat', 'down'])
  })

  it('of a contact whose window has changed follows the new one', async () => {
    const { outbox, add, queue, start, sent, clock, store } = await sending()
    const made = await add()
    await start()
    const changed = await store.contacts.update(made.id, made.version, { group_window_sec: 60 })
    outbox.contactChanged(changed as ContactRecord)
    for (let n = 0; n < 2; n++) await queue({ event: 'down' })
    outbox.follow(queuedBy([1, 2]))
    await clock.advance(MINUTE)
    expect(sent.map(({ delivery }) => delivery.event)).toEqual(['digest'])
  })
})

describe('an attempt', () => {
  it('that fails inside is repeated, and logged', async () => {
    const { add, queue, start, row, logged } = await sending(() =>
      Promise.reject(new Error('a mistake')),
    )
    await add()
    await queue()
    await start()
    expect(await row()).toMatchObject({ status: 'queued', error: 'internal_error', attempts: 1 })
    expect(logged).toEqual(['error: a contact kind failed: a mistake'])
  })

  it.each([
    ['cannot be read now', new StorageError('the disk is full'), 'storage'],
    ['is broken', new TypeError('a mistake'), 'internal_error'],
  ])('before which the store %s is repeated', async (_, failure, error) => {
    const { add, queue, start, row, logged, store, sent } = await sending()
    await add()
    await queue()
    Object.assign(store.contacts, { get: () => Promise.reject(failure) })
    await start()
    expect(sent).toEqual([])
    expect(await row()).toMatchObject({ status: 'queued', error })
    expect(logged).toEqual([`error: a notification could not be delivered: ${failure.message}`])
    expect(await store.notifications.attempts([1])).toMatchObject([{ error, duration_ms: 0 }])
  })

  it('does not begin where the lease would end first, which does not count', async () => {
    const { add, queue, start, row, store, clock, sent } = await sending()
    await add()
    await queue()
    const get = store.contacts.get.bind(store.contacts)
    let wait_ms = 15_001
    Object.assign(store.contacts, {
      get: async (id: number) => {
        await clock.sleep(wait_ms)
        return get(id)
      },
    })
    await start()
    await clock.advance(15_001)
    expect(sent).toEqual([])
    expect(await row()).toMatchObject({ status: 'queued', error: 'lease_over', attempts: 0 })
    wait_ms = 15_000
    const { due_at = 0 } = (await row()) ?? {}
    await clock.advance(due_at - clock.now() + 17_000)
    expect(sent).toHaveLength(1)
  })

  it('tells no secret of its contact, in its result and in the log', async () => {
    const { add, queue, start, store, logged } = await sending(({ ctx }) => {
      ctx.log.warn({}, 'sent with topsecret')
      return result({ class: 'failed', error: 'no topsecret', answer: 'key topsecret' })
    })
    await add({ settings: { to: 'ops', secret: 'topsecret' } })
    await queue()
    await start()
    expect(await store.notifications.attempts([1])).toMatchObject([
      { error: 'no ***', answer: 'key ***' },
    ])
    expect(logged).toEqual(['warn: sent with ***'])
  })

  it('has no answer where there was none', async () => {
    const { add, queue, start, store } = await sending(() => result({ answer: null }))
    await add()
    await queue()
    await start()
    expect(await store.notifications.attempts([1])).toMatchObject([{ answer: null, error: null }])
  })

  it('uses the network of its kind, and the connections of its account', async () => {
    const { add, queue, start, sent, store } = await sending(undefined, {}, { proxy: PROXY })
    const { id } = await store.accounts.create({ name: 'Other', created_at: 0 })
    await add()
    await add()
    await add({ account_id: id })
    for (const contact_id of [1, 2, 3]) await queue({ contact_id })
    await start()
    const [first, second, third] = sent.map(({ ctx }) => ctx)
    expect(first?.network.proxyFor('hook.example', 443)).toMatchObject(PROXY)
    // Each attempt has its account's view of it.
    expect(second?.network.turns).toBe(first?.network.turns)
    expect(third?.network.turns).toBe(first?.network.turns)
    expect(first?.idle).toBeDefined()
  })

  it.each([
    ['and those that the host trusts', certificates().ca, 'sent', null],
    ['alone', undefined, 'queued', expect.stringMatching(/^tls_/)],
  ])('trusts the certificates of the system %s', async (_, ca, status, error: unknown) => {
    await using receiver = await serve((request, response) => {
      request.resume().on('end', () => response.end())
    }, certificates().good)
    const webhook = webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })
    const contactKinds = new Map([['webhook', webhook]])
    const { add, queue, start, row } = await sending(undefined, {}, { ca, contactKinds })
    await add({ kind: 'webhook', settings: { url: receiver.origin, method: 'POST' } })
    await queue({ payload: '{"event":"down"}' })
    await start()
    await expect.poll(row).toMatchObject({ status, error })
  })

  it('leaves no more connections waiting than it may send at once', async () => {
    // A receiver that ends no connection itself.
    const receiver = () =>
      listening(
        createServer({ keepAliveTimeout: 0 }, (request, response) => {
          request.resume().on('end', () => response.end())
        }),
      )
    await using first = await receiver()
    await using second = await receiver()
    const webhook = webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })
    const contactKinds = new Map([['webhook', webhook]])
    const { outbox, add, queue, start, row, clock } = await sending(
      undefined,
      { deliveries: 1 },
      { contactKinds },
    )
    for (const [n, { port }] of [first, second].entries()) {
      const url = `http://127.0.0.1:${port}`
      await add({ kind: 'webhook', settings: { url, method: 'POST' } })
      await queue({ contact_id: n + 1, payload: '{"event":"down"}' })
    }
    await start()
    await expect.poll(() => row(1)).toMatchObject({ status: 'sent' })
    // Long enough for the next one, and too short for an end because of its age.
    await clock.advance(1000)
    await expect.poll(() => row(2)).toMatchObject({ status: 'sent' })
    await expect.poll(() => [first.open, second.open]).toEqual([0, 1])
    await outbox.stop(0)
    await expect.poll(() => second.open).toBe(0)
  })

  it('is traced where the host asks for it', async () => {
    const { core, add, queue, start, row } = await sending()
    const traced: unknown[] = []
    const delivery = async (of: { readonly id: number }, work: () => Promise<object>) => {
      const end = await work()
      traced.push([of.id, (end as { readonly status: string }).status])
      return end
    }
    Object.assign(core, { tracing: { delivery } })
    await add()
    await queue()
    await start()
    expect([traced, (await row())?.status]).toEqual([[[1, 'sent']], 'sent'])
  })
})

describe('a result', () => {
  it('that cannot be recorded for five minutes is logged', async () => {
    const { add, queue, start, clock, logged, store } = await sending()
    await add()
    await queue()
    Object.assign(store.notifications, { finish: () => Promise.reject(new Error('no')) })
    await start()
    await clock.advance(301_000)
    expect(logged).toContain(
      'error: a notification could not be recorded; it will be sent again: no',
    )
  })
})

describe('a clock that was set', () => {
  it('moves what waits', async () => {
    const { outbox, add, queue, start, sent, clock, row } = await sending()
    await add()
    await queue({ due_at: NOON + 30 * MINUTE })
    await start()
    clock.jump(60 * MINUTE)
    outbox.clockSet({ by_ms: 60 * MINUTE, after: NOON, before: Infinity })
    await clock.settle()
    expect([sent, (await row())?.due_at]).toEqual([[], NOON + 90 * MINUTE])
    await clock.advance(30 * MINUTE)
    expect(sent).toHaveLength(1)
  })

  it('is followed by a look at what is due, also where the store cannot follow', async () => {
    const { outbox, add, queue, start, sent, clock, logged, store } = await sending()
    await add()
    await start()
    await queue()
    Object.assign(store, { clockSet: () => Promise.reject(new Error('the disk is full')) })
    outbox.clockSet({ by_ms: 5, after: NOON, before: Infinity })
    await clock.settle()
    expect(logged).toEqual(['error: the outbox could not follow the clock: the disk is full'])
    expect(sent).toHaveLength(1)
    await queue()
    Object.assign(store, { clockSet: undefined })
    outbox.clockSet({ by_ms: 5, after: NOON, before: Infinity })
    await clock.settle()
    expect(sent).toHaveLength(2)
  })
})

describe('a start', () => {
  it('sends also where the contacts cannot be read yet', async () => {
    const { add, queue, start, sent, logged, store } = await sending()
    await add()
    await queue()
    Object.assign(store.contacts, { list: () => Promise.reject(new Error('the disk is full')) })
    await start()
    expect(logged).toEqual(['error: the hosts of contacts are not all known: the disk is full'])
    expect(sent).toHaveLength(1)
  })

  it('after a stop goes on', async () => {
    const { outbox, add, queue, start, sent } = await sending()
    await add()
    await start()
    await outbox.stop(0)
    await queue()
    await start()
    expect(sent).toHaveLength(1)
    expect(sent[0]?.ctx.signal.aborted).toBe(false)
  })
})

describe('a stop', () => {
  it('waits for what is being sent, and aborts it after its time', async () => {
    const { outbox, add, queue, start, sent, clock, row } = await sending(
      ({ ctx }) =>
        new Promise((resolve) =>
          ctx.signal.addEventListener('abort', () =>
            resolve(result({ class: 'temporary', error: 'stopped' })),
          ),
        ),
    )
    await add()
    await queue()
    await start()
    let isOver = false
    const stopped = outbox.stop(5000).then(() => (isOver = true))
    await clock.advance(4999)
    expect([isOver, sent[0]?.ctx.signal.aborted]).toEqual([false, false])
    await clock.advance(1)
    await stopped
    expect(sent[0]?.ctx.signal.reason).toMatchObject({
      code: 'stopped',
      message: 'The engine stops',
    })
    expect(await row()).toMatchObject({ status: 'queued', error: 'stopped' })
    await queue()
    outbox.follow(queuedBy([2]))
    await clock.advance(10 * MINUTE)
    expect(sent).toHaveLength(1)
  })

  it('of nothing leaves no timer behind', async () => {
    const { outbox, start, clock } = await sending()
    await start()
    await outbox.stop(5000)
    expect(clock.pending).toBe(0)
  })
})

describe('a test of a contact', () => {
  it('is sent at once, and told when it is final', async () => {
    const { outbox, add, start, sent } = await sending(() => result({ class: 'failed' }))
    const made = await add()
    await expect(outbox.test(made)).rejects.toMatchObject({
      ...{ code: 'not_running', message: 'The engine is not running; start it first' },
    })
    await start()
    const end = await outbox.test(made)
    expect(end).toMatchObject({
      ...{ event: 'test', status: 'failed', contact_id: 1, account_id: 1, repeat: 0 },
      ...{ monitor_id: null, incident_id: null, due_at: NOON, created_at: NOON },
    })
    expect(JSON.parse(end.payload)).toMatchObject({ event: 'test', monitor: null, incident: null })
    expect(sent[0]?.delivery.event).toBe('test')
    await outbox.stop(0)
    await expect(outbox.test(made)).rejects.toMatchObject({ code: 'not_running' })
  })

  it('ends with the engine: failed where it was under way, and stopped where it was not', async () => {
    const never = (): Promise<never> => new Promise(() => undefined)
    const { outbox, add, start, clock } = await sending(never, { deliveriesPerContact: 1 })
    const made = await add()
    await start()
    const tests = Promise.allSettled([outbox.test(made), outbox.test(made)])
    await clock.settle()
    const stopped = outbox.stop(0)
    await clock.advance(1000)
    await stopped
    expect(await tests).toMatchObject([
      { value: { status: 'failed', error: 'stopped' } },
      { reason: { code: 'stopped' } },
    ])
  })
})

describe('a notification that is sent again', () => {
  it('is a copy with an id of its own, due now', async () => {
    const { outbox, add, queue, start, sent, clock, row } = await sending()
    await add()
    const of = { event: 'repeat', payload: '{"n":1}', repeat: 3, monitor_id: 5, incident_id: 6 }
    const waiting = await queue(of)
    await expect(outbox.resend(waiting)).rejects.toMatchObject({ code: 'not_final' })
    await expect(outbox.resend({ ...waiting, status: 'sending' })).rejects.toThrow(
      'The notification is still being delivered',
    )
    await start()
    await clock.advance(MINUTE)
    const final = (await row())!
    const copy = await outbox.resend(final)
    expect(copy).toMatchObject({
      ...{ ...of, id: 2, contact_id: 1, account_id: 1, status: 'queued' },
      ...{ due_at: NOON + MINUTE, created_at: NOON + MINUTE },
    })
    await clock.settle()
    expect(sent).toHaveLength(2)
  })
})
