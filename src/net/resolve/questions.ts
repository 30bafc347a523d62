/**
 * Pings and name server queries of one check. Most checks have none, so nothing is made for them before
 * the first; what is under way ends with the check, and the check does not end before it is gone.
 *
 * @module
 */

import { ClosedError } from '../../errors.ts'
import { createDnsClient } from '../dns/client.ts'
import type { DnsParts } from '../dns/client.ts'
import { ownDatagrams } from '../dns/own-datagrams.ts'
import { ownPings } from '../icmp/ping.ts'
import type { OwnedPings, PingSession } from '../icmp/ping.ts'
import type { Net } from '../net.ts'
import { createStop } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface QuestionParts {
  /** Of the check. */
  readonly signal: StopSignal
  /** Both get a signal that also ends when the check is over. */
  readonly pings: (signal: AbortSignal) => PingSession
  readonly dns: (signal: StopSignal, own: DnsParts['own']) => DnsParts
}

export interface OwnedQuestions extends Pick<Net, 'dns' | 'ping'> {
  /** Ends what is under way; resolves when the handles are gone, `undefined` where they are already. */
  close(): Promise<void> | undefined
}

interface Made extends Pick<Net, 'dns' | 'ping'> {
  stop(): void
  gone(): Promise<void> | undefined
}

export function ownQuestions(parts: QuestionParts): OwnedQuestions {
  let made: Made | undefined
  let closed = false
  /** Answers that are waited for: where there are none at the end, there is nothing to stop. */
  let waiting = 0

  function make(): Made {
    const over = createStop()
    const follow = (): void => over.abort(parts.signal.reason)
    parts.signal.addEventListener('abort', follow, { once: true })
    if (parts.signal.aborted) follow()
    const datagrams = ownDatagrams()
    let pings: OwnedPings | undefined
    const dns = createDnsClient(parts.dns(over, datagrams.own))
    const stop = (): void => over.abort(new ClosedError('The check is over'))
    return {
      dns: dns.query,
      ping(request) {
        pings ??= ownPings(parts.pings(over.platformSignal()))
        return pings.ping(request)
      },
      stop,
      gone() {
        parts.signal.removeEventListener('abort', follow)
        const closing = datagrams.gone()
        if (pings === undefined) return closing
        return Promise.all([closing, pings.gone()]).then(() => undefined)
      },
    }
  }

  function ready(): Made {
    made ??= make()
    // Asked after the end: it must not begin.
    if (closed) made.stop()
    return made
  }

  function counted<T>(answer: Promise<T>): Promise<T> {
    waiting += 1
    // Ahead of whoever waits for it, and in nobody's way.
    answer.then(answered, answered)
    return answer
  }

  function answered(): void {
    waiting -= 1
  }

  return {
    dns: (query) => counted(ready().dns(query)),
    ping: (request) => counted(ready().ping(request)),
    close() {
      if (!closed && waiting > 0) made?.stop()
      closed = true
      return made?.gone()
    },
  }
}
