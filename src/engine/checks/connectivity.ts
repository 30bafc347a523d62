/**
 * Whether this location has a network. A failure counts only if one of a few well-known addresses answers at the same
 * time; otherwise every target would appear down at once.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import type { CheckReport } from '../../model.ts'
import { DeadlineError } from '../../net/timing/deadline.ts'
import { createNetwork } from '../../net/create-net.ts'
import { createTrace } from '../../net/timing/trace.ts'

const ANSWER_MS = 3_000
/** How long the result "offline" is reused. */
const OFFLINE_HOLDS_MS = 5_000
/**
 * How long the result "online" is reused: failures come in groups, and the first ones of an outage follow right after
 * successes.
 */
const ONLINE_HOLDS_MS = 250
const MAX_ANCHORS = 10

export interface Anchor {
  readonly host: string
  readonly port: number
}

export interface Connectivity {
  /** The last result. */
  readonly online: boolean
  /** Determines which anchors answer; those that never did prove nothing. Resolves when done. */
  start(): Promise<void>
  /** Whether any anchor answers; also `true` if none ever did. Tested again when the last result is too old. */
  check(): Promise<boolean>
  /** The report unchanged, or `unknown` if the location was offline; `started` is the monotonic start of the check. */
  verify(report: CheckReport, started: number): Promise<CheckReport>
}

export interface ConnectivityOptions {
  readonly clock: Clock
  readonly log: Logger
  /** `host:port`, at most 10. Without any, every failure counts. */
  readonly anchors: readonly string[]
  readonly onChange?: (online: boolean) => void
}

/** @throws ConfigurationError for an anchor that is not `host:port` */
export function createConnectivity(options: ConnectivityOptions): Connectivity {
  const { clock, log, onChange } = options
  const anchors = options.anchors.map(anchorOf)
  if (anchors.length > MAX_ANCHORS)
    throw new ConfigurationError(`At most ${MAX_ANCHORS} anchors are tested`)
  // The operator names the anchors, so no policy applies to them.
  const network = createNetwork({ clock, policy: () => undefined })
  const proven = new Set<Anchor>()
  let online = true
  /** Checks that started before this may have failed while the location was offline. */
  let online_since = -Infinity
  let tested: { readonly at: number; readonly online: Promise<boolean> } | undefined

  async function answers(anchor: Anchor): Promise<boolean> {
    const late = new AbortController()
    const timer = clock.timer(ANSWER_MS, () => late.abort(new DeadlineError(ANSWER_MS)))
    const trace = createTrace(clock)
    const net = network.open({ signal: late.signal, deadlineIn: () => ANSWER_MS, trace })
    try {
      await net.connect(anchor)
      proven.add(anchor)
      return true
    } catch {
      return false
    } finally {
      timer.cancel()
      await net.close()
    }
  }

  /** Without an anchor that ever answered nothing is known, and the failure counts. */
  async function testAnchors(): Promise<boolean> {
    const any = (await Promise.all(anchors.map(answers))).includes(true)
    const reached = any || proven.size === 0
    if (reached !== online) {
      online = reached
      if (online) online_since = clock.monotonic()
      if (online) log.info({}, 'this location reaches its anchors again')
      else log.error({}, 'this location reaches none of its anchors: its failures count as unknown')
      onChange?.(online)
    }
    return online
  }

  /** The last result, or a new one if it is too old. */
  function onlineNow(): Promise<boolean> {
    const now = clock.monotonic()
    const holds_ms = online ? ONLINE_HOLDS_MS : OFFLINE_HOLDS_MS
    if (tested === undefined || now - tested.at > holds_ms)
      tested = { at: now, online: testAnchors() }
    return tested.online
  }

  return {
    check: () => (anchors.length === 0 ? Promise.resolve(true) : onlineNow()),
    get online() {
      return online
    },
    async start() {
      if (anchors.length === 0) return
      await testAnchors()
      if (proven.size === 0)
        log.error({}, 'none of the anchors answers: until one does, every failure counts')
    },
    async verify(report, started) {
      const { verdict } = report.outcome
      if (anchors.length === 0 || verdict === 'unknown') return report
      // While offline, a successful check also triggers a test: it indicates that the network is back.
      if (verdict === 'ok' && online) return report
      const reached = await onlineNow()
      return verdict === 'ok' || (reached && started >= online_since)
        ? report
        : offlineReport(report)
    },
  }
}

function offlineReport({ outcome }: CheckReport): CheckReport {
  return {
    outcome: {
      ...outcome,
      verdict: 'unknown',
      cause_code: 'probe_offline',
      cause_text: 'The location itself has no network',
      phase: null,
    },
  }
}

function anchorOf(text: string): Anchor {
  const at = text.lastIndexOf(':')
  const host = text.slice(0, at).replace(/^\[|\]$/g, '')
  const port = Number(text.slice(at + 1))
  if (at < 1 || host === '' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new ConfigurationError(`An anchor is of the form host:port, not "${text}"`)
  return { host, port }
}
