/**
 * A probe transport that nobody would want: orders are lost or refused, answers come late, twice, out of
 * order, or for a round and a version of long ago; whole locations fall silent.
 */
import { inProcessProbes } from '../../src/probes/in-process.ts'
import type { CheckAnswer, ProbeTransport } from '../../src/probes/transport.ts'
import type { Dice } from './dice.ts'
import type { Process } from './process.ts'
import type { Tape } from './tape.ts'

export interface BadPostOptions {
  readonly process: Process
  readonly tape: Tape
  readonly dice: Dice
  /** Share of orders with which something goes wrong; asked anew each time. */
  readonly share: () => number
  /** Locations that neither look nor answer, by name. */
  readonly silent: ReadonlySet<string>
}

/** Answers kept to be sent again much later. */
const KEPT = 8

export function badPost({ process, tape, dice, share, silent }: BadPostOptions): ProbeTransport {
  const { clock, life } = process
  const inner = inProcessProbes({ clock })
  const kept: CheckAnswer[] = []
  const names = new Map<number, string>()
  let onAnswer: (answer: CheckAnswer) => void = () => undefined

  function later(answer: CheckAnswer, ms: number): void {
    clock.timer(ms, () => onAnswer(answer))
  }

  function deliver(answer: CheckAnswer): void {
    const { monitor_id } = answer.order
    if (silent.has(names.get(answer.order.location_id) ?? '')) return
    const what = dice.chance(share()) ? dice.pick(['late', 'twice', 'stale', 'lost']) : undefined
    if (what !== undefined) tape.add({ kind: 'post', what, monitor_id })
    if (dice.chance(0.05)) kept.splice(KEPT - 1, 1, answer)
    if (what === 'lost') return
    if (what === 'stale' && kept.length > 0) onAnswer(dice.pick(kept))
    if (what === 'twice') later(answer, dice.int(0, 10_000))
    if (what === 'late') later(answer, dice.wait(30_000))
    else onAnswer(answer)
  }

  return {
    async start(host) {
      onAnswer = host.onAnswer
      await inner.start({
        ...host,
        onAnswer: deliver,
        async run(order, signal) {
          const report = await host.run(order, signal)
          const { monitor_id, version, round, location } = order
          const { verdict } = report.outcome
          const look = { monitor_id, version, round, location_id: location.id, verdict }
          tape.add({ kind: 'look', life, ...look })
          return report
        },
      })
    },
    async send(order) {
      const { monitor_id, location } = order
      names.set(location.id, location.name)
      tape.add({ kind: 'order', life, monitor_id, round: order.round, location_id: location.id })
      if (silent.has(location.name)) return
      if (dice.chance(share() / 4)) {
        tape.add({ kind: 'post', what: 'refused', monitor_id })
        throw new Error('The simulation refused an order')
      }
      await inner.send(order)
    },
    cancel: (monitor_id) => inner.cancel(monitor_id),
    stop: (drain_ms) => inner.stop(drain_ms),
    online: (location_id) => inner.online(location_id) && !silent.has(names.get(location_id) ?? ''),
  }
}
