/** The two ways an order can go, behind one interface, so that the same cases run over both. */
import { expect, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Logger } from '../../src/logger.ts'
import type { LocationRecord } from '../../src/model.ts'
import { bullmqProbe } from '../../src/probes/bullmq/probe.ts'
import type { BullmqProbeOptions, Probe } from '../../src/probes/bullmq/probe.ts'
import type { RedisAddress } from '../../src/probes/bullmq/options.ts'
import { bullmqProbes } from '../../src/probes/bullmq/transport.ts'
import type { BullmqProbesOptions } from '../../src/probes/bullmq/transport.ts'
import { inProcessProbes } from '../../src/probes/in-process.ts'
import { unmeasured } from '../../src/probes/transport.ts'
import type {
  CheckAnswer,
  CheckOrder,
  ProbeHost,
  ProbeTransport,
} from '../../src/probes/transport.ts'

export const KEY = Buffer.alloc(32, 7)
export const FRA: LocationRecord = { id: 1, name: 'fra' }
export const HEL: LocationRecord = { id: 2, name: 'hel' }

/** A side that gets no CPU for a second or two is not taken for dead: a key lasts for two and a half beats. */
export const STEADY = { secretKey: KEY, beatMs: 2000 } as const

export interface Open {
  readonly transport: ProbeTransport
  readonly answers: CheckAnswer[]
}

export type Way = (run: ProbeHost['run']) => Promise<Open>

async function openTransport(
  transport: ProbeTransport,
  run: ProbeHost['run'],
  locations: readonly LocationRecord[] = [FRA],
): Promise<Open> {
  const answers: CheckAnswer[] = []
  await transport.start({ run, locations, onAnswer: (answer) => void answers.push(answer) })
  onTestFinished(() => transport.stop(0))
  return { transport, answers }
}

export const inProcess: Way = (run) =>
  openTransport(inProcessProbes({ clock: systemClock, concurrency: 8 }), run)

/** One engine and one probe at `fra`; resolves when they know of each other. */
export function overRedis(connection: string): Way {
  return async (run) => {
    await probeAt(connection, { run, concurrency: 8 })
    return engineAt(connection)
  }
}

export async function probeAt(
  connection: RedisAddress,
  options: Partial<BullmqProbeOptions> & Pick<BullmqProbeOptions, 'run'>,
): Promise<Probe> {
  const probe = bullmqProbe({ location: 'fra', connection, ...STEADY, ...options })
  onTestFinished(() => probe.stop({ drainMs: 0 }))
  await probe.start()
  return probe
}

export async function engineAt(
  connection: RedisAddress,
  options: Partial<BullmqProbesOptions> = {},
  locations: readonly LocationRecord[] = [FRA],
): Promise<Open> {
  const transport = bullmqProbes({ connection, ...STEADY, ...options })
  const refuse = () => Promise.reject(new Error('nothing is carried out here'))
  const open = await openTransport(transport, refuse, locations)
  await expect
    .poll(() => locations.map(({ id }) => transport.online(id)))
    .toEqual(locations.map(() => true))
  return open
}

let monitors = 0

/** An order of a monitor of its own, due now, for half a minute. */
export function order(changed: Partial<CheckOrder> = {}): CheckOrder {
  const monitor_id = changed.monitor_id ?? ++monitors
  const round = systemClock.now()
  const { location = FRA } = changed
  return {
    id: `${monitor_id}-1-${round}-${location.id}`,
    account_id: 1,
    monitor_id,
    version: 1,
    type: 'any',
    settings: {},
    timeout_ms: 1000,
    interval_sec: 60,
    location,
    round,
    expires_at: round + 30_000,
    memo: null,
    host: `host-${monitor_id}.example`,
    ...changed,
  }
}

export const fine = (at = systemClock.now()) => {
  const { outcome } = unmeasured(at, '', '')
  return { outcome: { ...outcome, verdict: 'ok', cause_code: null, cause_text: null } } as const
}

/** A checker that stands still until it is let go, one order after the other. */
export function gate() {
  const begun: { readonly order: CheckOrder; readonly signal: AbortSignal }[] = []
  const waiting = new Map<string, () => void>()
  const run: ProbeHost['run'] = (each, signal) =>
    new Promise((resolve) => {
      begun.push({ order: each, signal })
      const end = () => resolve(fine())
      waiting.set(each.id, end)
      signal.addEventListener('abort', end)
    })
  return {
    run,
    begun,
    ids: () => begun.map((each) => each.order.id),
    open: (id: string) => waiting.get(id)?.(),
    openAll: () => {
      for (const end of waiting.values()) end()
    },
  }
}

/** What was logged, as `level message`. */
export function recorder(): Logger & { readonly lines: string[]; readonly fields: unknown[] } {
  const lines: string[] = []
  const fields: unknown[] = []
  const at = (level: string) => (given: unknown, message: string) => {
    lines.push(`${level} ${message}`)
    fields.push(given)
  }
  return {
    lines,
    fields,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  }
}
