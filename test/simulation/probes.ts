/**
 * A probe transport that nobody would want: orders are lost or refused, answers come late, twice, out of
 * order, with times that cannot be, or for a round and a version of long ago; whole locations fall silent. Places are
 * few.
 */
import { inProcessProbes } from '../../src/probes/in-process.ts'
import type { CheckAnswer, CheckOrder, ProbeTransport } from '../../src/probes/transport.ts'
import type { Dice } from './dice.ts'
import type { Process } from './process.ts'
import type { Tape } from './tape.ts'

export interface BadPostOptions {
  readonly process: Process
  readonly tape: Tape
  readonly dice: Dice
  readonly places: number
  /** Share of orders with which something goes wrong; asked anew each time. */
  readonly share: () => number
  /** Locations that neither look nor answer, by name. */
  readonly silent: ReadonlySet<string>
}

/** Answers kept to be sent again much later. */
const KEPT = 8

/** Times that cannot be, of an answer or its outcome. */
const LIES: readonly { readonly outcome?: object; readonly lag_ms?: number }[] = [
  { outcome: { started_at: '+275760-09-13T00:00:00.000Z' } },
  { outcome: { started_at: '2199-12-31T23:59:59.999Z' } },
  { outcome: { started_at: '-000001-01-01T00:00:00.000Z' } },
  { outcome: { phases: { connect_ms: -1e308, tls_ms: 1e308 } } },
  { lag_ms: 1e308 },
]

function lieOf(answer: CheckAnswer, { outcome, lag_ms = answer.lag_ms }: (typeof LIES)[number]) {
  const report = { ...answer.report, outcome: { ...answer.report.outcome, ...outcome } }
  return { ...answer, report, lag_ms }
}

export function badPost(options: BadPostOptions): ProbeTransport {
  const { process, tape, dice, places, share, silent } = options
  const { clock, life } = process
  const inner = inProcessProbes({ clock, concurrency: places })
  const kept: CheckAnswer[] = []
  const names = new Map<number, string>()
  /** Orders without a place, and where they stand on the tape. */
  const waiting = new Map<CheckOrder, number>()
  let onAnswer: (answer: CheckAnswer) => void = () => undefined

  function outOfTurn(answer: CheckAnswer): void {
    tape.add({ kind: 'answered', life, monitor_id: answer.order.monitor_id })
    onAnswer(answer)
  }

  function later(answer: CheckAnswer, ms: number): void {
    clock.timer(ms, () => outOfTurn(answer))
  }

  function drop(unwanted: (order: CheckOrder) => boolean): void {
    const gone = [...waiting].filter(([order]) => unwanted(order))
    for (const [order] of gone) waiting.delete(order)
    if (gone.length > 0) tape.add({ kind: 'dropped', life, orders: gone.map(([, n]) => n) })
  }

  function deliver(answer: CheckAnswer): void {
    const { monitor_id, id } = answer.order
    if (answer.report.begun === false) drop((order) => order.id === id)
    if (silent.has(names.get(answer.order.location_id) ?? '')) return
    const what = dice.chance(share())
      ? dice.pick(['late', 'twice', 'stale', 'lost', 'lie'])
      : undefined
    if (what !== undefined) tape.add({ kind: 'post', what, monitor_id })
    if (dice.chance(0.05)) kept.splice(KEPT - 1, 1, answer)
    if (what === 'lost') return
    if (what === 'stale' && kept.length > 0) outOfTurn(dice.pick(kept))
    if (what === 'twice') later(answer, dice.int(0, 10_000))
    if (what === 'late') later(answer, dice.wait(30_000))
    else onAnswer(what === 'lie' ? lieOf(answer, dice.pick(LIES)) : answer)
  }

  return {
    async start(host) {
      onAnswer = host.onAnswer
      await inner.start({
        ...host,
        onAnswer: deliver,
        async run(order, signal) {
          const { monitor_id, version, round, location } = order
          const n = waiting.get(order) ?? 0
          waiting.delete(order)
          tape.add({ kind: 'begun', life, monitor_id, order: n })
          const report = await host.run(order, signal)
          const { verdict } = report.outcome
          const look = { monitor_id, version, round, location_id: location.id, verdict }
          tape.add({ kind: 'look', life, order: n, ...look })
          return report
        },
      })
    },
    async send(order) {
      const { account_id, monitor_id, host, timeout_ms, round, location } = order
      names.set(location.id, location.name)
      const lost = silent.has(location.name)
      const refused = !lost && dice.chance(share() / 4)
      const queued = !lost && !refused
      const asked = { monitor_id, round, location_id: location.id, account_id, host, timeout_ms }
      const n = tape.add({ kind: 'order', life, ...asked, queued })
      if (refused) {
        tape.add({ kind: 'post', what: 'refused', monitor_id })
        throw new Error('The simulation refused an order')
      }
      if (!queued) return
      waiting.set(order, n)
      await inner.send(order)
    },
    cancel(monitor_id) {
      drop((order) => order.monitor_id === monitor_id)
      inner.cancel(monitor_id)
    },
    stop: (drain_ms) => inner.stop(drain_ms),
    online: (location_id) => inner.online(location_id) && !silent.has(names.get(location_id) ?? ''),
  }
}
