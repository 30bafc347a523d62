/** A store or a transport that fails for a while, or breaks its promises: nothing is lost without a word. */
import { expect, it, onTestFinished } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { inProcessProbes } from '../../src/probes/in-process.ts'
import type { CheckAnswer, ProbeTransport } from '../../src/probes/transport.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const broken = (): Promise<never> => Promise.reject(new StorageError('No connection'))

async function alerted(bend: (store: FullStore, fails: () => boolean) => FullStore) {
  const clock = simulatedClock()
  const state = { fails: false }
  const r = await rig({}, { clock, store: bend(memoryStore({ clock }), () => state.fails) })
  const errors: string[] = []
  r.engine.on('error', (error) => errors.push((error as Error).message))
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const input = { type: 'scripted', name: 'a', host: 'a', interval_sec: 60, fail_threshold: 1 }
  await r.engine.monitors.create(input)
  await clock.advance(MINUTE)
  const events = () => r.told.map(({ event }) => event)
  return { r, clock, state, errors, events }
}

const withoutContacts = (store: FullStore, fails: () => boolean): FullStore => ({
  ...store,
  contacts: {
    ...store.contacts,
    get: (id) => (fails() ? broken() : store.contacts.get(id)),
  },
})

it('an alert whose contact cannot be read for a while is sent afterwards, and no attempt is used up', async () => {
  const { r, clock, state, errors, events } = await alerted(withoutContacts)
  state.fails = true
  r.say('a', 'fail')
  await clock.advance(30 * MINUTE)
  expect(events()).toEqual([])
  expect(errors).toContain('No connection')
  state.fails = false
  await clock.advance(6 * MINUTE)
  expect(events()).toEqual(['down'])
  expect((await r.engine.notifications.list()).items).toMatchObject([{ status: 'sent' }])
})

it('a contact that did not receive a failure does not receive its end', async () => {
  const { r, clock, state, events } = await alerted(withoutContacts)
  state.fails = true
  r.say('a', 'fail')
  await clock.advance(10 * MINUTE)
  r.say('a', 'ok')
  await clock.advance(2 * MINUTE)
  state.fails = false
  await clock.advance(10 * MINUTE)
  expect(events().filter((event) => event === 'up')).toHaveLength(
    events().filter((event) => event === 'down').length,
  )
})

it('an end that is recorded and cannot be told is not said to be sent again', async () => {
  const messages: string[] = []
  const note = (_fields: object, message: string): void => void messages.push(message)
  const clock = simulatedClock()
  const store = memoryStore({ clock })
  const logger = { debug: note, info: note, warn: note, error: note }
  const unread = { ...store, notifications: { ...store.notifications, get: broken } }
  const r = await rig({ logger }, { clock, store: unread })
  r.engine.on('notification', () => undefined)
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  r.say('a', 'fail')
  await r.engine.monitors.create({ type: 'scripted', name: 'a', host: 'a', fail_threshold: 1 })
  await clock.advance(2 * MINUTE)
  expect(r.told).toHaveLength(1)
  expect(messages).toContain('the end of a notification is recorded and could not be announced')
  expect(messages.join()).not.toContain('sent again')
})

const DEEDS: Readonly<
  Record<string, (inner: ProbeTransport, a: (id: number) => boolean) => object>
> = {
  'throws at once': (inner, isA) => ({
    send(order: Parameters<ProbeTransport['send']>[0]) {
      if (isA(order.monitor_id)) throw new Error('Broken')
      return inner.send(order)
    },
  }),
  'returns no promise': (inner) => ({
    send: (order: Parameters<ProbeTransport['send']>[0]) => void inner.send(order),
  }),
  ...Object.fromEntries(
    [undefined, null, {}, { outcome: { verdict: 'maybe' } }].map((report) => [
      `reports ${JSON.stringify(report)}`,
      (inner: ProbeTransport, isA: (id: number) => boolean) => ({
        start: (host: Parameters<ProbeTransport['start']>[0]) =>
          inner.start({
            ...host,
            onAnswer: (answer) =>
              host.onAnswer(
                isA(answer.order.monitor_id) ? ({ ...answer, report } as CheckAnswer) : answer,
              ),
          }),
      }),
    ]),
  ),
}

it.each(Object.keys(DEEDS))(
  'a transport that %s harms no other monitor and no process',
  async (deed) => {
    const rejections: unknown[] = []
    const onRejection = (error: unknown): void => void rejections.push(error)
    process.on('unhandledRejection', onRejection)
    onTestFinished(() => void process.off('unhandledRejection', onRejection))
    const clock = simulatedClock()
    const inner = inProcessProbes({ clock })
    const ids: number[] = []
    const bent = DEEDS[deed]?.(inner, (id) => id === ids[0]) ?? {}
    const r = await rig({ probes: { ...inner, ...bent } }, { clock })
    for (const host of ['a', 'b'])
      ids.push(
        (await r.engine.monitors.create({ type: 'scripted', name: host, host, interval_sec: 60 }))
          .id,
      )
    await clock.advance(10 * MINUTE)
    expect(rejections).toEqual([])
    expect((await r.engine.monitors.status(ids[1] ?? 0)).state).toBe('up')
    const [last] = (await r.engine.results.list(ids[0] ?? 0)).items
    expect(last?.verdict).toBe(deed === 'returns no promise' ? 'ok' : 'unknown')
  },
)
