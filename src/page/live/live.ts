/**
 * Changes as server-sent events. An event only says that something on the page has changed; the browser then fetches
 * the page again with its own credentials. So rendering and authorization exist once.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import type { Engine } from '../../engine/api/engine.ts'
import type { EngineEvents } from '../../engine/api/events.ts'
import { testAdmission } from '../session/admission.ts'
import type { Admitted } from '../session/admission.ts'
import type { Answer } from '../http/answer.ts'
import { placeFor } from './connection-limits.ts'
import type { Audience, LiveLimits } from './connection-limits.ts'

export interface LiveOptions {
  readonly engine: Pick<Engine, 'on'>
  readonly clock: Pick<Clock, 'timer'>
  readonly limits: LiveLimits
}

export interface Subscription {
  readonly audience: Audience
  /** Called every few seconds; the connection ends unless it returns `true`. Absent: the page is open to all. */
  readonly admitted?: () => Promise<boolean>
  /** Monitors whose state changes are sent. */
  readonly states: ReadonlySet<number>
  /** Whether one of them still belongs to the page when it changes. Absent: they do as long as the visitor is admitted. */
  readonly stays?: (monitor_id: number) => Promise<boolean>
  /** Whether a monitor created after the page was rendered belongs to it. Absent: none does. */
  readonly joins?: (monitor_id: number) => Promise<boolean>
  /** Monitors whose rounds are sent as well, although these only change figures: the ones on the page. */
  readonly rounds: ReadonlySet<number>
  /** The end of a delivery of the account is sent as well, like a round: for pages that show how deliveries go. */
  readonly deliveries?: boolean
}

export interface Live {
  listen(subscription: Subscription): Answer
  /** The engine has stopped: no event will follow. */
  readonly stopped: boolean
  /** The number of open connections. */
  readonly size: number
}

/** A state change is sent immediately, together with what follows within this time; rounds are batched. */
const SOON_MS = 300
const LATER_MS = 5000
/**
 * Proxies close a connection that is silent for a minute, and the page takes a minute of silence for a lost
 * connection.
 */
const HEARTBEAT_MS = 25_000
/** After this the browser reconnects and is authorized again. */
const LIFE_MS = 10 * 60_000
const RETRY_MS = 3000
/** Unread messages after which a connection is closed: the browser is gone. */
const BACKLOG = 16

export function createLive({ engine, clock, limits }: LiveOptions): Live {
  const listeners = new Set<Listener>()
  let unsubscribe: (() => void) | undefined
  let stopped = false
  const admission = testAdmission(clock, listeners)
  engine.on('stop', () => {
    stopped = true
    for (const listener of [...listeners]) listener.close()
  })

  function subscribe(): () => void {
    const offs = [
      engine.on('state', (event) => notifyAll(event, 'state')),
      engine.on('starved', (event) => notifyAll(event, 'state')),
      engine.on('round', (event) => notifyAll(event, 'round')),
      engine.on('notification', ({ account_id }) => {
        for (const listener of listeners) listener.delivered(account_id)
      }),
    ]
    return () => {
      for (const off of offs) off()
    }
  }

  function notifyAll({ account_id, monitor }: ChangedMonitor, what: 'state' | 'round'): void {
    for (const listener of listeners) {
      const { kind, id } = listener.audience
      // Otherwise each change of one account would cost a lookup for every page of all others.
      if (kind === 'public' || id === account_id) listener.changed(monitor.id, what)
    }
  }

  function leave(listener: Listener): void {
    listeners.delete(listener)
    if (listeners.size > 0) return
    admission.end()
    unsubscribe?.()
    unsubscribe = undefined
  }

  return {
    get stopped() {
      return stopped
    },
    get size() {
      return listeners.size
    },
    listen(subscription) {
      // 204 stops an EventSource from reconnecting.
      if (stopped) return { status: 204 }
      const place = placeFor(subscription.audience, listeners, limits)
      if (place === undefined) return { status: 503, headers: { 'Retry-After': '60' } }
      place.ends?.close()
      let cancel = (): void => undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const listener = createListener({
            clock,
            subscription,
            controller,
            onClose: () => leave(listener),
          })
          listeners.add(listener)
          unsubscribe ??= subscribe()
          admission.begin()
          cancel = () => listener.close()
        },
        cancel: () => cancel(),
      })
      return { status: 200, headers: STREAM, body }
    },
  }
}

const STREAM = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Disables buffering in nginx.
  'X-Accel-Buffering': 'no',
}

type ChangedMonitor = Pick<EngineEvents['state'], 'account_id'> & {
  readonly monitor: { readonly id: number }
}

interface Listener extends Admitted {
  readonly audience: Audience
  changed(monitor_id: number, what: 'state' | 'round'): void
  delivered(account_id: number): void
}

interface ListenerOptions {
  readonly clock: Pick<Clock, 'timer'>
  readonly subscription: Subscription
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  onClose(): void
}

function createListener({ clock, subscription, controller, onClose }: ListenerOptions): Listener {
  const { audience, admitted, rounds, joins, stays } = subscription
  const states = new Set(subscription.states)
  let newest = 0
  for (const id of states) newest = Math.max(newest, id)
  const asked = new Set<number>()
  const inDoubt = new Set<number>()
  const encoder = new TextEncoder()
  let open = true
  let due: { readonly timer: Timer; readonly soon: boolean } | undefined
  let heartbeat: Timer
  const life = clock.timer(LIFE_MS, close, { background: true })

  function close(): void {
    if (!open) return
    open = false
    due?.timer.cancel()
    heartbeat.cancel()
    life.cancel()
    onClose()
    try {
      controller.close()
    } catch {
      // The other side has closed it already.
    }
  }

  function send(text: string): void {
    if (!open) return
    if ((controller.desiredSize ?? 0) < -BACKLOG) close()
    else controller.enqueue(encoder.encode(text))
  }

  function beat(): void {
    heartbeat = clock.timer(
      HEARTBEAT_MS,
      () => {
        send('event: beat\ndata: {}\n\n')
        if (open) beat()
      },
      { background: true },
    )
  }

  /** Ids ascend: a later monitor has a higher one. Each is tested once. */
  async function askFor(monitor_id: number): Promise<void> {
    if (joins === undefined || monitor_id <= newest || asked.has(monitor_id)) return
    asked.add(monitor_id)
    // A failed lookup is repaired when the browser reconnects.
    if (!(await joins(monitor_id).catch(() => false))) return
    states.add(monitor_id)
    changed(monitor_id, 'state')
  }

  /** One at a time: a page is told of thousands that change at once by the first of them that stays. */
  async function notifyIfItStays(monitor_id: number): Promise<void> {
    inDoubt.add(monitor_id)
    if (inDoubt.size > 1) return
    for (const id of inDoubt) {
      // Without an answer it may have left.
      const isThere = (await stays?.(id).catch(() => false)) === true
      if (isThere) notify('state')
      if (isThere || !open) break
    }
    inDoubt.clear()
  }

  function changed(monitor_id: number, what: 'state' | 'round'): void {
    if (!open) return
    const soon = what === 'state'
    if (!(soon ? states : rounds).has(monitor_id)) {
      if (soon) void askFor(monitor_id)
      return
    }
    // It is told soon in any case.
    if (due?.soon === true) return
    if (stays === undefined) notify(what)
    else void notifyIfItStays(monitor_id)
  }

  function notify(what: 'state' | 'round'): void {
    if (!open) return
    const soon = what === 'state'
    if (due !== undefined && (due.soon || !soon)) return
    due?.timer.cancel()
    const timer = clock.timer(
      soon ? SOON_MS : LATER_MS,
      () => {
        due = undefined
        send('event: change\ndata: {}\n\n')
      },
      { background: true },
    )
    due = { timer, soon }
  }

  beat()
  send(`retry: ${RETRY_MS}\n\n`)
  return {
    audience,
    admitted,
    close,
    changed,
    delivered(account_id) {
      if (subscription.deliveries === true && audience.id === account_id) notify('round')
    },
  }
}
