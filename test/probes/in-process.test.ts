import { expect, it } from 'vitest'
import type { CheckReport } from '../../src/model.ts'
import { inProcessProbes } from '../../src/probes/in-process.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import { turnCountingClock } from '../support/turn-counting-clock.ts'
import { FRA, order } from './ways.ts'

const report = {} as CheckReport

/** Orders of a few hosts, begun and ended in an order that chance decides. */
async function busyDay(seed: number) {
  const clock = simulatedClock({ seed, settling: 'promises' })
  const probes = inProcessProbes({ clock, concurrency: 5, perHost: 2 })
  const running = new Map<CheckOrder, (report: CheckReport) => void>()
  const begun: CheckOrder[] = []
  const answered: string[] = []
  const most = { all: 0, host: 0 }
  await probes.start({
    locations: [FRA],
    run: (each) => {
      begun.push(each)
      const ended = new Promise<CheckReport>((resolve) => running.set(each, resolve))
      most.all = Math.max(most.all, running.size)
      const hosts = [...running.keys()].filter(({ host }) => host === each.host)
      most.host = Math.max(most.host, hosts.length)
      return ended
    },
    onAnswer: (answer) => void answered.push(answer.order.id),
  })
  const pick = <T>(from: readonly T[]): T | undefined =>
    from[Math.floor(clock.random() * from.length)]
  const sent: CheckOrder[] = []
  const endOne = async (): Promise<void> => {
    const each = pick([...running.keys()])
    const end = each && running.get(each)
    if (each !== undefined) running.delete(each)
    end?.(report)
    await clock.settle()
  }
  for (let step = 0; step < 300; step++) {
    const host = pick(['a', 'a', 'a', 'b', 'b', 'c', 'd', 'e'])
    const expired = clock.random() < 0.1
    const each = order({
      host: `${host}.example`,
      round: clock.now(),
      expires_at: expired ? clock.now() - 1 : clock.now() + 1000,
    })
    sent.push(each)
    await probes.send(each)
    if (clock.random() < 0.8) await endOne()
  }
  while (running.size > 0) await endOne()
  await probes.stop(0)
  return { sent, begun, answered, most }
}

it.each([1, 2, 3, 4, 5])(
  'keeps both limits, forgets nobody, and serves each host in turn (%i)',
  async (seed) => {
    const { sent, begun, answered, most } = await busyDay(seed)
    expect(most).toEqual({ all: 5, host: 2 })
    expect(answered.toSorted()).toEqual(sent.map(({ id }) => id).toSorted())
    for (const host of new Set(sent.map((each) => each.host))) {
      const here = begun.filter((each) => each.host === host)
      expect(here).toEqual(sent.filter((each) => here.includes(each)))
    }
  },
)

/** An account whose checks never end, in as many orders, and one that comes later. */
async function beside(hanging: readonly CheckOrder[]) {
  const clock = simulatedClock({ settling: 'promises' })
  const probes = inProcessProbes({ clock })
  const begun: { readonly id: string; readonly at: number }[] = []
  await probes.start({
    locations: [FRA],
    async run({ id, account_id, timeout_ms }, signal) {
      begun.push({ id, at: clock.monotonic() })
      if (account_id === HOSTILE) await clock.sleep(timeout_ms, signal).catch(() => undefined)
      return report
    },
    onAnswer: () => undefined,
  })
  const due = (host: string, account_id: number): CheckOrder =>
    order({ host, account_id, round: clock.now(), expires_at: clock.now() + 60_000 })
  for (const each of hanging)
    await probes.send({ ...due(each.host, HOSTILE), timeout_ms: 60_000, id: each.id })
  /** How long an order takes to begin. */
  async function wait(host: string): Promise<number> {
    const mine = { ...due(host, 7), id: `mine-${begun.length}` }
    const from = clock.monotonic()
    await probes.send(mine)
    await clock.advance(200_000)
    return (begun.find(({ id }) => id === mine.id)?.at ?? Infinity) - from
  }
  return { wait }
}

const HOSTILE = 666
const hang = (count: number, host: (i: number) => string): CheckOrder[] =>
  Array.from({ length: count }, (_, i) => order({ host: host(i) }))

it('begins at once although sixteen checks of another account hang at the same host', async () => {
  const { wait } = await beside(hang(16, () => 'shared.example'))
  expect(await wait('shared.example')).toBe(0)
})

it('begins at once although checks of another account hang in all places', async () => {
  const { wait } = await beside(hang(500, (i) => `host-${i}.example`))
  expect(await wait('mine.example')).toBe(0)
})

it('answers thousands of expired orders a few in a turn, and each of them', async () => {
  const answered: string[] = []
  const { clock, perTurn } = turnCountingClock(() => answered.length)
  const probes = inProcessProbes({ clock, concurrency: 2, perHost: 2 })
  const ends: (() => void)[] = []
  await probes.start({
    locations: [FRA],
    run: () => new Promise((resolve) => void ends.push(() => resolve(report))),
    onAnswer: ({ order: { id } }) => void answered.push(id),
  })
  const times = { round: clock.now(), expires_at: clock.now() + 1000 }
  const sent = Array.from({ length: 3000 }, (_, n) => order({ id: `${n}`, ...times }))
  for (const each of sent) await probes.send(each)
  expect(ends).toHaveLength(2)
  await clock.advance(2000)
  for (const end of ends) end()
  for (let turn = 0; turn < 100; turn++) await clock.advance(0)
  expect(Math.max(...perTurn())).toBeLessThan(60)
  expect(answered.toSorted()).toEqual(sent.map(({ id }) => id).toSorted())
  await probes.stop(0)
})
