/**
 * An engine with the memory store, a clock that stands still, and checkers that do as they are told:
 * what the API is mounted upon in these tests.
 */

import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import type { Signal } from '../../src/checkers/push.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import type { RecordingTransport } from '../../src/testing/recording-transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

export const KEY = 'key-of-account-one'
export const OTHER_KEY = 'key-of-account-two'

export interface Service {
  readonly engine: Engine
  readonly store: FullStore
  readonly clock: SimulatedClock
  readonly webhooks: RecordingTransport
  /** What heartbeat monitors were told, without the time. */
  readonly signals: Omit<Signal, 'at'>[]
  /** The hosts of the checks that ran. */
  readonly checked: string[]
  /** Accounts and keys are there. */
  readonly ready: Promise<void>
}

/** `within`: what the engine has for its store. */
export function service(within: (store: FullStore) => FullStore = (store) => store): Service {
  const clock = simulatedClock()
  const store = within(memoryStore({ clock }))
  const webhooks = recordingTransport()
  const signals: Omit<Signal, 'at'>[] = []
  const checked: string[] = []
  const engine = createEngine({
    clock,
    store,
    checkers: [scripted(checked), heartbeat(signals)],
    contacts: [webhookContact({ transport: webhooks, guard: { allowCidrs: ['127.0.0.1/32'] } })],
  })
  return { engine, store, clock, webhooks, signals, checked, ready: setUp(engine) }
}

async function setUp(engine: Engine): Promise<void> {
  await engine.open()
  await engine.keys.create({ name: 'one', key: KEY })
  const { id } = await engine.accounts.create({ name: 'second' })
  await engine.account(id).keys.create({ name: 'two', key: OTHER_KEY })
}

/** Fails for hosts that begin with "down". */
function scripted(checked: string[]) {
  return defineChecker({
    type: 'tcp',
    title: 'TCP port',
    description: 'Says what its host tells it to say.',
    fields: {
      host: field.host({ description: 'Host' }).required(),
      port: field.port({ description: 'Port' }).required(),
      pass: field.secret({ description: 'Password' }),
    },
    causes: { told_so: { text: 'It was told to fail' } },
    target: ({ host, port }) => `${host}:${port}`,
    run(_ctx, { host }) {
      checked.push(host)
      const judged = host.startsWith('down') ? down('told_so', 'It was told to fail') : up()
      return Promise.resolve(judged)
    },
  })
}

/** Keeps every signal. */
function heartbeat(signals: Omit<Signal, 'at'>[]) {
  return defineChecker({
    type: 'heartbeat',
    title: 'Heartbeat',
    description: 'Is up once it was told anything.',
    fields: {
      grace_sec: field.integer({ description: 'Grace', min: 0, max: 86_400 }).default(60),
    },
    target: () => 'heartbeat',
    push: {
      receive(_memo, { at: _at, ...signal }) {
        signals.push(signal)
        return null
      },
      dueAt: () => null,
      resetDeadline: (memo) => memo,
    },
    run: () => Promise.resolve(up()),
  })
}
