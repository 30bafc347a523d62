/**
 * Pings and name server queries of one check. Created on first use, since most checks have none;
 * ended with the check, which waits until their handles are closed.
 *
 * @module
 */

import { ClosedError } from '../../errors.ts'
import { createDnsClient } from '../dns/client.ts'
import type { DnsParts } from '../dns/client.ts'
import { ownPings } from '../icmp/ping.ts'
import type { OwnedPings, PingSession } from '../icmp/ping.ts'
import type { Net } from '../net.ts'
import { createStop } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Socket } from 'node:dgram'

export interface QuestionParts {
  /** The signal of the check. */
  readonly signal: StopSignal
  /** Both get a signal that also aborts at the end of the check. */
  readonly pings: (signal: AbortSignal) => PingSession
  readonly dns: (signal: StopSignal, own: DnsParts['own']) => DnsParts
}

export interface OwnedQuestions extends Pick<Net, 'dns' | 'ping'> {
  /** Ends running operations; resolves when the handles are closed, `undefined` if none is open. */
  close(): Promise<void> | undefined
}

interface Made extends Pick<Net, 'dns' | 'ping'> {
  stop(): void
  gone(): Promise<void> | undefined
}

export function ownQuestions(parts: QuestionParts): OwnedQuestions {
  let made: Made | undefined
  let closed = false
  /** Pending answers: with none at the end, nothing needs to be stopped. */
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
    // First used after the end: it must not start.
    if (closed) made.stop()
    return made
  }

  function counted<T>(answer: Promise<T>): Promise<T> {
    waiting += 1
    // Registered first, so that the count is correct when the caller continues.
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

/** The UDP sockets of one check: its signal closes them, and the check waits until they are closed. */
interface OwnedDatagrams {
  /** The caller closes the socket when the signal of the check aborts. */
  own(socket: Socket): void
  /** Resolves when all handles are closed; `undefined` if none is open. */
  gone(): Promise<void> | undefined
}

function ownDatagrams(): OwnedDatagrams {
  let open = 0
  let allGone: (() => void) | undefined
  function closed(): void {
    open -= 1
    if (open === 0) allGone?.()
  }
  return {
    own(socket) {
      open += 1
      // Errors after the last waiter is gone must not end the process.
      socket.on('error', ignore).once('close', closed)
    },
    gone() {
      if (open === 0) return undefined
      return new Promise((resolve) => (allGone = resolve))
    },
  }
}

function ignore(): void {}
