/** Probes whose places can be taken away, as by checks of others that hang. */
import { inProcessProbes } from '../../src/probes/in-process.ts'
import { unmeasured } from '../../src/probes/transport.ts'
import type {
  CheckAnswer,
  CheckOrder,
  ProbeHost,
  ProbeTransport,
} from '../../src/probes/transport.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'

/** While they are closed, no order begins. `remote`: this process does not hear of the begin of a check. */
export function doors(clock: SimulatedClock, { remote = false } = {}) {
  const inner = inProcessProbes({ clock })
  const held: CheckOrder[] = []
  let [open, host]: [boolean, ProbeHost | undefined] = [true, undefined]
  const transport: ProbeTransport = {
    ...inner,
    remote,
    start(given) {
      host = given
      const run = remote
        ? () =>
            Promise.resolve({
              outcome: {
                ...unmeasured(clock.now(), '', '').outcome,
                verdict: 'ok',
                cause_code: null,
                cause_text: null,
              },
            } as const)
        : given.run
      return inner.start({ ...given, run })
    },
    send: (order) => (open ? inner.send(order) : Promise.resolve(void held.push(order))),
  }
  return {
    transport,
    close: () => void (open = false),
    open: () => void (open = true),
    /** What a location says that could not look. */
    excuse() {
      for (const { id, monitor_id, version, round, location } of held.splice(0)) {
        const order: CheckAnswer['order'] = {
          id,
          monitor_id,
          version,
          round,
          location_id: location.id,
        }
        const report = unmeasured(clock.now(), 'probe_overloaded', 'There was no place')
        host?.onAnswer({ order, report, lag_ms: 0 })
      }
    },
  }
}
