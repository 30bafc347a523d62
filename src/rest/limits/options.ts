/**
 * The limits of `limitServer` with their defaults.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { readTrustProxy } from '../../net/peer/trusted-proxies.ts'
import type { ProxyTrust, TrustProxy } from '../../net/peer/trusted-proxies.ts'
import { anything, callback, checkOptions, having, wholeNumber } from '../../options.ts'
import type { OptionRule, OptionTable } from '../../options.ts'

export interface LimitServerOptions {
  /** Maximum number of connections. 1 to 1,000,000, default 1000. */
  readonly maxConnections?: number | undefined
  /**
   * Maximum number of connections from one client address; an IPv6 address counts as its /64. 1 to 1,000,000, default
   * 100. Connections from `trustProxy` are limited by `maxConnections` alone.
   */
  readonly maxConnectionsPerAddress?: number | undefined
  /**
   * Maximum number of requests on one connection that wait for a response; their headers may have 32 KiB together. 1 to
   * 1000, default 16.
   */
  readonly maxPipelinedRequests?: number | undefined
  /** Maximum number of header fields of a request; beyond it the answer is 431. 10 to 1000, default 100. */
  readonly maxHeaderFields?: number | undefined
  /**
   * Maximum number of chunks in which the bodies of waiting requests on one connection arrive, beyond one for each 64
   * bytes: a chunk takes some 400 bytes of memory. 16 to 1,000,000, default 256.
   */
  readonly maxBodyChunks?: number | undefined
  /**
   * Maximum number of bytes of all responses that their clients have not read yet. Beyond it the connection with most
   * of them is closed, of the client with most of them; a single one may have more. 1,048,576 to 2^40, default
   * 50,331,648 (48 MiB).
   */
  readonly maxUnreadBytes?: number | undefined
  /** Limit for receiving the headers of a request, TLS included. 1000 to 3,600,000 ms, default 10,000. */
  readonly headersTimeoutMs?: number | undefined
  /**
   * Limit for receiving the body after the headers. 1000 to 3,600,000 ms, default 40,000: the API itself answers 408
   * after 30,000.
   */
  readonly bodyTimeoutMs?: number | undefined
  /** Limit without progress of a response that the client does not read. 1000 to 3,600,000 ms, default 20,000. */
  readonly writeTimeoutMs?: number | undefined
  /** Limit between a response and the next request. 1000 to 3,600,000 ms, default 5000. */
  readonly idleTimeoutMs?: number | undefined
  /** Trusted proxies, as for `toNodeHandler`: one address that represents many clients. Default `loopback`. */
  readonly trustProxy?: TrustProxy | undefined
  /** Called for every connection that a limit closed or rejected; must not throw. */
  readonly onLimit?: ((event: LimitEvent) => void) | undefined
  readonly clock?: Pick<Clock, 'monotonic' | 'timer'> | undefined
}

const NUMBERS = {
  maxConnections: { value: 1000, min: 1, max: 1_000_000 },
  maxConnectionsPerAddress: { value: 100, min: 1, max: 1_000_000 },
  maxPipelinedRequests: { value: 16, min: 1, max: 1000 },
  maxHeaderFields: { value: 100, min: 10, max: 1000 },
  maxBodyChunks: { value: 256, min: 16, max: 1_000_000 },
  maxUnreadBytes: { value: 48 * 2 ** 20, min: 2 ** 20, max: 2 ** 40 },
  headersTimeoutMs: { value: 10_000, min: 1000, max: 3_600_000 },
  bodyTimeoutMs: { value: 40_000, min: 1000, max: 3_600_000 },
  writeTimeoutMs: { value: 20_000, min: 1000, max: 3_600_000 },
  idleTimeoutMs: { value: 5000, min: 1000, max: 3_600_000 },
} as const

export type LimitName = keyof typeof NUMBERS

export interface LimitEvent {
  /** The limit, by the name of its option. */
  readonly limit: LimitName
  /** The client's address; `undefined` on a socket without addresses. */
  readonly address: string | undefined
}

export type Limits = Readonly<Record<LimitName, number>> & {
  readonly isProxy: ProxyTrust
}

const OPTIONS: OptionTable<LimitServerOptions> = {
  ...(Object.fromEntries(
    Object.entries(NUMBERS).map(([name, { min, max }]) => [name, wholeNumber(min, max)]),
  ) as Record<LimitName, OptionRule>),
  // Validated where it is read.
  trustProxy: anything,
  onLimit: callback,
  clock: having('monotonic', 'timer'),
}

/** @throws ConfigurationError that names the option */
export function readLimits(options: LimitServerOptions): Limits {
  checkOptions('limitServer', options, OPTIONS)
  const names = Object.keys(NUMBERS) as LimitName[]
  const numbers = names.map((name) => [name, options[name] ?? NUMBERS[name].value] as const)
  return {
    ...(Object.fromEntries(numbers) as Record<LimitName, number>),
    isProxy: readTrustProxy(options.trustProxy ?? 'loopback'),
  }
}
