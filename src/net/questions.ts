/**
 * Pings and name server queries of one check. Most checks have none, so nothing is made for them before
 * the first; what is under way ends with the check, and the check does not end before it is gone.
 *
 * @module
 */

import { ClosedError } from '../errors.ts'
import { createDnsClient } from './dns/client.ts'
import type { DnsParts } from './dns/client.ts'
import { ownDatagrams } from './dns/own-datagrams.ts'
import { ownPings } from './icmp/ping.ts'
import type { PingSession } from './icmp/ping.ts'
import type { Net } from './net.ts'

export interface QuestionParts {
  /** Of the check. */
  readonly signal: AbortSignal
  /** Both get a signal that also ends when the check is over. */
  readonly pings: (signal: AbortSignal) => PingSession
  readonly dns: (signal: AbortSignal) => Omit<DnsParts, 'own'>
}

export interface OwnedQuestions extends Pick<Net, 'dns' | 'ping'> {
  /** Ends what is under way; resolves when the handles are gone. */
  close(): Promise<void>
}

interface Made extends Pick<Net, 'dns' | 'ping'> {
  end(): Promise<void>
}

export function ownQuestions(parts: QuestionParts): OwnedQuestions {
  let made: Made | undefined
  let closed = false

  function make(): Made {
    const over = new AbortController()
    const signal = AbortSignal.any([parts.signal, over.signal])
    const datagrams = ownDatagrams()
    const pings = ownPings(parts.pings(signal))
    const dns = createDnsClient({ ...parts.dns(signal), own: datagrams.own })
    const stop = (): void => over.abort(new ClosedError('The check is over'))
    // Asked for the first time after the end: it must not begin.
    if (closed) stop()
    return {
      dns: dns.query,
      ping: pings.ping,
      async end() {
        stop()
        await Promise.all([datagrams.gone(), pings.gone()])
      },
    }
  }

  return {
    dns: (query) => (made ??= make()).dns(query),
    ping: (request) => (made ??= make()).ping(request),
    async close() {
      closed = true
      await made?.end()
    },
  }
}
