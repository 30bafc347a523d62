/**
 * One check in a test: settings as a user writes them, a network of its own, and everything that came
 * of it. The way through the code is the engine's.
 *
 * @module
 */

import type { AnyChecker, CheckerInput } from '../../src/checkers/checker.ts'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { executeCheck } from '../../src/engine/checks/execute-check.ts'
import type { SharedState } from '../../src/engine/checks/shared-state.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { silentLogger } from '../../src/logger.ts'
import type { Logger } from '../../src/logger.ts'
import type { CheckReport, Json, Outcome } from '../../src/model.ts'
import type { PingBackend } from '../../src/net/icmp/backend.ts'
import type { TargetPolicy } from '../../src/net/net.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import { certificates } from './certificates.ts'
import { hostsFile } from './hosts-file.ts'

export interface CheckOptions {
  /** Default 30,000: a test that is about no deadline meets none, however busy the machine is. */
  readonly timeout_ms?: number
  /** PEM of trusted roots; default: the root of the test certificates. */
  readonly ca?: string
  /** Host name to its addresses; they stand in a hosts file. */
  readonly hosts?: Readonly<Record<string, readonly string[]>>
  /** `ip:port`; default: none is reached. */
  readonly nameservers?: readonly string[]
  readonly policy?: TargetPolicy
  /** As where `targets` is not `open`. */
  readonly strangers?: boolean
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly memo?: Json
  /** What the checks of one engine share. Default: nothing. */
  readonly shared?: SharedState
  /** Default 0. */
  readonly account_id?: number
  readonly log?: Logger
  /** Who pings. Default: the system. */
  readonly ping?: PingBackend
  /** Of the context of a test that runs beside others. */
  readonly onTestFinished?: (remove: () => void) => void
}

export type Checked = Outcome & Omit<CheckReport, 'outcome'>

/** @throws ValidationError */
export async function check<const C extends AnyChecker>(
  checker: C,
  input: Omit<CheckerInput<C>, 'type'>,
  options: CheckOptions = {},
): Promise<Checked> {
  const { clock = systemClock, memo, signal, nameservers = ['127.0.0.1:9'] } = options
  const { strangers = false } = options
  const network = createNetwork({
    clock,
    policy: options.policy ?? (() => undefined),
    strangers,
    ca: options.ca ?? certificates().ca,
    resolver: createResolver({
      clock,
      hostsFile: hostsFile(options.hosts ?? {}, options.onTestFinished),
      nameservers,
      discreet: strangers,
    }),
    nameservers,
    ...(options.ping !== undefined ? { ping: options.ping } : {}),
  })
  const { outcome, ...rest } = await executeCheck(checker, parseSettings(checker, input), {
    clock,
    network,
    timeout_ms: options.timeout_ms ?? 30_000,
    location: { id: 1, name: 'test' },
    log: options.log ?? silentLogger,
    account_id: options.account_id ?? 0,
    ...(options.shared !== undefined ? { shared: options.shared } : {}),
    ...(memo !== undefined ? { memo } : {}),
    ...(signal !== undefined ? { signal } : {}),
  })
  return { ...outcome, ...rest }
}
