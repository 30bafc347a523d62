/**
 * A network for one test, with a signal to abort it by.
 *
 * @module
 */

import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import type { TargetPolicy } from '../../src/net/net.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import type { OwnedNet } from '../../src/net/create-net.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import { createTrace } from '../../src/net/timing/trace.ts'
import type { Trace } from '../../src/net/timing/trace.ts'
import { certificates } from './certificates.ts'
import { hostsFile } from './hosts-file.ts'

export interface TestNet extends OwnedNet {
  readonly trace: Trace
  /** Ends everything, as a deadline does. */
  abort(reason: Error): void
}

export interface TestNetOptions {
  readonly hosts?: Readonly<Record<string, readonly string[]>>
  readonly policy?: TargetPolicy
  /** Those of the location, `ip:port`. Default: none is reached. */
  readonly nameservers?: readonly string[]
  /** What is left of the deadline, all the time. Default 5000. */
  readonly deadline_ms?: number
  /** Users are not trusted. */
  readonly strangers?: boolean
  readonly clock?: Clock
}

/** Trusts the test certificates; closed when the test ends. */
export function openTestNet(options: TestNetOptions = {}): TestNet {
  const { hosts, policy, nameservers = ['127.0.0.1:9'], deadline_ms = 5000 } = options
  const { strangers = false, clock = systemClock } = options
  const controller = new AbortController()
  const trace = createTrace(clock)
  const network = createNetwork({
    ...{ clock, strangers },
    policy: policy ?? (() => undefined),
    ca: certificates().ca,
    resolver: createResolver({
      hostsFile: hostsFile(hosts ?? {}),
      nameservers,
    }),
    nameservers,
  })
  const deadlineIn = (): number => deadline_ms
  const net = network.open({ signal: controller.signal, deadlineIn, trace })
  onTestFinished(() => net.close())
  return { ...net, trace, abort: (reason) => controller.abort(reason) }
}
