/** An engine under the simulated clock with a checker whose answers the test writes. */
import { createEngine } from '../../src/engine/engine.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { defineChecker, down, unknown, up } from '../../src/checkers/checker.ts'
import type { Findings } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { silentLogger } from '../../src/logger.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { AttemptResult } from '../../src/webhook/contact-kind.ts'
import { RECORDER } from './recorder-kind.ts'

export type Said = 'ok' | 'fail' | 'unknown' | { fail: string } | { ok: Findings }

export interface Told {
  readonly to: string
  readonly event: string
  readonly at: number
  readonly body: Record<string, unknown>
}

export interface Rig {
  readonly engine: Engine
  readonly clock: SimulatedClock
  readonly store: FullStore
  /** What every check of a target answers until told otherwise; may depend on the location. */
  say(target: string, said: Said | ((location: string) => Said)): void
  /** Checks made so far, `target@location`. */
  readonly checks: string[]
  /** Deliveries that arrived. */
  readonly told: Told[]
  /** What receivers answer: by contact address. */
  answer(to: string, status: number | 'timeout'): void
  /** A new engine on the same store, as after a restart. */
  restart(options?: Partial<EngineOptions>): Promise<Rig>
}

function scripted(script: Map<string, Said | ((location: string) => Said)>, checks: string[]) {
  return defineChecker({
    type: 'scripted',
    title: 'Scripted',
    description: 'Answers as the test says',
    fields: {
      host: field.host({ description: 'Target' }).required(),
      secret: field.secret({ description: 'A secret' }),
      level: field.integer({ description: 'Any number', min: 0, max: 10 }).default(1),
    },
    measurements: { load: 'A figure that the test writes', note: 'A text' },
    figures: ['load'],
    events: ['content_changed'],
    causes: { broken: { text: 'It is broken' }, other: { text: 'It is broken in another way' } },
    target: (s) => s.host,
    run(ctx, s) {
      checks.push(`${s.host}@${ctx.location.name}`)
      const entry = script.get(s.host) ?? 'ok'
      const said = typeof entry === 'function' ? entry(ctx.location.name) : entry
      if (said === 'ok') return Promise.resolve(up())
      if (said === 'unknown') return Promise.resolve(unknown('probe_offline', 'No network here'))
      if (said === 'fail') return Promise.resolve(down('broken', 'It is broken'))
      if ('ok' in said) return Promise.resolve(up(said.ok))
      return Promise.resolve(down(said.fail as 'broken', `It is ${said.fail}`))
    },
  })
}

export async function rig(
  options: Partial<EngineOptions> = {},
  given?: { clock?: SimulatedClock; store?: FullStore; told?: Told[] },
): Promise<Rig> {
  const clock = given?.clock ?? simulatedClock()
  const store = given?.store ?? memoryStore()
  const script = new Map<string, Said | ((location: string) => Said)>()
  const answers = new Map<string, number | 'timeout'>()
  const checks: string[] = []
  const told = given?.told ?? []
  const recorder = defineContactKind({
    ...RECORDER,
    deliver(_ctx, settings, delivery): Promise<AttemptResult> {
      const status = answers.get(settings.to) ?? 200
      const body = JSON.parse(Buffer.from(delivery.body).toString('utf8')) as Record<
        string,
        unknown
      >
      told.push({ to: settings.to, event: delivery.event, at: clock.now(), body })
      return Promise.resolve(ending(status))
    },
  })
  const engine = createEngine({
    store,
    checkers: [scripted(script, checks), ...(options.checkers ?? [])],
    contacts: [recorder],
    clock,
    // Many tests fail on purpose; `undefined` in the options is the default logger.
    logger: silentLogger,
    ...options,
    ...(options.checkers === undefined
      ? {}
      : { checkers: [scripted(script, checks), ...options.checkers] }),
  }) as Engine
  await engine.start()
  return {
    engine,
    clock,
    store,
    checks,
    told,
    say: (target, said) => void script.set(target, said),
    answer: (to, status) => void answers.set(to, status),
    async restart(changed = {}) {
      return rig({ ...options, ...changed }, { clock, store, told })
    },
  }
}

function ending(status: number | 'timeout'): AttemptResult {
  const base = { answer: null, duration_ms: 5, retry_after_ms: null }
  if (status === 'timeout')
    return { ...base, class: 'temporary', http_status: null, error: 'timeout' }
  if (status >= 500) return { ...base, class: 'temporary', http_status: status, error: null }
  return { ...base, class: status < 300 ? 'delivered' : 'failed', http_status: status, error: null }
}
