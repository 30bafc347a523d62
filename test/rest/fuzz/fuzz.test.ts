/**
 * Valid requests for every operation and every type, mutated: no answer is a 5xx, every answer is as
 * documented, and the service works on. `npm run fuzz -- --seconds 300 --seed 7` runs it for longer.
 */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgeOf } from './judge.ts'
import type { Judge } from './judge.ts'
import { validShots } from './grammar.ts'
import { createLive } from './live.ts'
import type { Live } from './live.ts'
import { heapMeter } from './heap.ts'
import { mutations, spoilt } from './mutations.ts'
import { bytesOf, describeShot, shown } from './shot.ts'
import type { Shot } from './shot.ts'
import { KEY, OTHER_KEY, startSubject } from './subject.ts'
import type { Subject } from './subject.ts'
import { createTally } from './tally.ts'
import type { Tally } from './tally.ts'
import { lane } from './wire.ts'
import type { Lane, WireAnswer } from './wire.ts'

/** For how long; without it a few rounds are made, however long they take. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** `postgres` starts a server of its own. */
const STORE = process.env['FUZZ_STORE'] ?? 'sqlite'
/** Volleys per seed. Each round begins with the next seed, so that a failure is found again by its own. */
const ROUND = 200
const FEW_ROUNDS = 5
/** Rare requests may need more rounds: one type of sixteen is missed by five rounds now and then. */
const MAX_ROUNDS = 20
const MAX_MONITORS = 60

let subject: Subject
let lanes: readonly Lane[]
let live: Live
let judge: Judge
let tally: Tally

beforeAll(async () => {
  subject = await startSubject(STORE)
  lanes = Array.from({ length: 4 }, () => lane(subject.port))
  live = createLive()
  judge = judgeOf(subject.document)
  tally = createTally(subject.document)
})

afterAll(async () => {
  for (const one of lanes) one.close()
  await subject.stop()
})

describe('the API under mutated requests', () => {
  const limit = (SECONDS + 600) * 1000

  it(
    'answers every one of them as documented, and never with a 5xx',
    { timeout: limit },
    async () => {
      const until = performance.now() + SECONDS * 1000
      const heap = heapMeter()
      const simplest = patience(fire)
      const volleys = fc.array(shots(), { minLength: 1, maxLength: lanes.length })
      const isEnough = (rounds: number): boolean =>
        rounds >= FEW_ROUNDS &&
        performance.now() >= until &&
        (rounds >= MAX_ROUNDS || tally.missing().length === 0)
      for (let seed = SEED; !isEnough(seed - SEED); seed++) {
        await fc.assert(fc.asyncProperty(volleys, simplest), {
          seed,
          numRuns: ROUND,
          endOnFailure: false,
        })
        await expectControl()
        await expectFewMonitors()
        heap.look()
      }
      if (SECONDS > 0) console.log(tally.report(), heap.report())
      expect(tally.missing()).toEqual([])
      expect(heap.growth_mb()).toBeLessThan(32)
    },
  )
})

function shots(): fc.Arbitrary<Shot> {
  const types = subject.engine.types.tables()
  const valid = validShots({ document: subject.document, types, key: KEY })
  const apply = (shot: Shot, some: readonly ((shot: Shot) => Shot)[]): Shot =>
    some.reduce((changed, mutation) => mutation(changed), shot)
  const mutated = fc
    .tuple(valid, fc.array(mutations(OTHER_KEY), { minLength: 1, maxLength: 3 }))
    .map(([shot, some]) => apply(shot, some))
  return fc
    .oneof(
      { weight: 3, arbitrary: valid },
      { weight: 8, arbitrary: mutated },
      { weight: 1, arbitrary: fc.tuple(valid, spoilt).map(([shot, one]) => one(shot)) },
      { weight: 1, arbitrary: fc.tuple(mutated, spoilt).map(([shot, one]) => one(shot)) },
    )
    .map(shown)
}

/** A failure is made simpler for half a minute, not for ever: what hangs would take as long each time. */
function patience(
  work: (volley: readonly Shot[]) => Promise<void>,
): (volley: readonly Shot[]) => Promise<void> {
  let end = Infinity
  return async (volley) => {
    if (performance.now() > end) return
    try {
      await work(volley)
    } catch (error) {
      end = Math.min(end, performance.now() + 30_000)
      throw error
    }
  }
}

/** Some requests at the same time. */
async function fire(volley: readonly Shot[]): Promise<void> {
  const filled = volley.map((shot) => live.fill(shot))
  const heard = await Promise.all(
    filled.map((shot, index) => {
      const alone = shot.spoil !== undefined
      return (lanes[index] as Lane).send(bytesOf(shot), { head: shot.method === 'HEAD', alone })
    }),
  )
  const told = filled.flatMap((shot, index) => {
    const answers = heard[index] ?? []
    tally.count(shot, answers)
    learn(answers)
    const problems = judge(shot, answers)
    return problems.length === 0 ? [] : [tell(shot, answers, problems)]
  })
  const complaints = subject.complaints().map((complaint) => JSON.stringify(complaint, errorsToo))
  if (told.length + complaints.length > 0) throw new Error([...told, ...complaints].join('\n'))
}

function learn(answers: readonly WireAnswer[]): void {
  for (const { status, headers, body } of answers) {
    if (!body.startsWith('{') || headers.has('idempotent-replayed')) continue
    live.learn(status, headers, JSON.parse(body))
  }
}

function tell(shot: Shot, answers: readonly WireAnswer[], problems: readonly string[]): string {
  return [
    ...problems,
    describeShot(shot),
    ...answers.map(({ status, body }) => `${status} ${body.slice(0, 1000)}`),
  ].join('\n')
}

function errorsToo(_name: string, value: unknown): unknown {
  return value instanceof Error ? value.stack : value
}

/** A monitor that nobody fuzzes can still be made, read and removed, and nothing has polluted us. */
async function expectControl(): Promise<void> {
  const body = JSON.stringify({ type: 'tcp', name: 'Control', host: '127.0.0.1', port: 1 })
  const ask = async (method: string, path: string, sent?: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${subject.port}/api/v1/monitors${path}`
    const response = await fetch(url, { method, headers, ...(sent ? { body: sent } : {}) })
    return { status: response.status, body: await response.json() }
  }
  const made = (await ask('POST', '', body)) as { body: { monitor: { id: number } } }
  const { id } = made.body.monitor
  const read = await ask('GET', `/${id}`)
  expect(read).toMatchObject({ status: 200, body: { monitor: { name: 'Control', port: 1 } } })
  expect(await ask('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { deleted: { id } } })
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as { admin?: unknown }).admin).toBeUndefined()
}

async function expectFewMonitors(): Promise<void> {
  const superfluous = live.monitors.slice(0, Math.max(0, live.monitors.length - MAX_MONITORS))
  for (const { id } of superfluous) {
    await subject.engine.monitors.remove(id).catch(() => undefined)
    live.forget(id)
  }
}
