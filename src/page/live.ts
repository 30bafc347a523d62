/**
 * Changes as server-sent events. They say only that something on the page has changed; the browser then
 * asks for the page again, as the one who asked for it before. So there is one way to render, and one
 * place where it is decided who sees what.
 *
 * @module
 */

import type { Clock, Timer } from '../clock.ts'
import type { Engine } from '../engine/api.ts'
import type { Answer } from './answer.ts'

export interface LiveOptions {
  readonly engine: Pick<Engine, 'on'>
  readonly clock: Pick<Clock, 'timer'>
  /** Listeners at the same time, per audience. */
  readonly limits: Readonly<Record<Audience['kind'], number>>
}

/** Who listens; each account and each public page has its own number of places. */
export interface Audience {
  readonly kind: 'account' | 'public'
  readonly id: number | string
}

export interface Subscription {
  readonly audience: Audience
  /** Monitors whose new states are told. */
  readonly states: ReadonlySet<number>
  /** Those whose rounds are told as well, which change nothing but figures: the ones on the page. */
  readonly rounds: ReadonlySet<number>
}

export interface Live {
  listen(subscription: Subscription): Answer
  /** Listeners at this moment. */
  readonly size: number
}

/** A new state is told at once, but for what comes with it; rounds are gathered. */
const SOON_MS = 300
const LATER_MS = 5000
/** Proxies close what is silent for a minute. */
const HEARTBEAT_MS = 25_000
/** Then the browser connects anew, and it is looked at again who it is. */
const LIFE_MS = 10 * 60_000
const RETRY_MS = 3000
/** Messages that nobody takes: the browser is gone without a word. */
const BACKLOG = 16

export function createLive({ engine, clock, limits }: LiveOptions): Live {
  const listeners = new Set<Listener>()
  let unsubscribe: (() => void) | undefined
  let stopped = false
  engine.on('stop', () => {
    stopped = true
    for (const listener of [...listeners]) listener.close()
  })

  function subscribe(): () => void {
    const offs = [
      engine.on('state', ({ monitor }) => tell(monitor.id, 'state')),
      engine.on('round', ({ monitor }) => tell(monitor.id, 'round')),
    ]
    return () => {
      for (const off of offs) off()
    }
  }

  function tell(monitor_id: number, what: 'state' | 'round'): void {
    for (const listener of listeners) listener.changed(monitor_id, what)
  }

  function taken({ kind, id }: Audience): number {
    let count = 0
    for (const { audience } of listeners) if (audience.kind === kind && audience.id === id) count++
    return count
  }

  return {
    get size() {
      return listeners.size
    },
    listen(subscription) {
      // 204 tells an EventSource not to come back.
      if (stopped) return { status: 204 }
      const { audience } = subscription
      if (taken(audience) >= limits[audience.kind])
        return { status: 503, headers: { 'Retry-After': '60' } }
      let cancel = (): void => undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const listener = createListener({
            clock,
            subscription,
            controller,
            onClose() {
              listeners.delete(listener)
              if (listeners.size > 0) return
              unsubscribe?.()
              unsubscribe = undefined
            },
          })
          listeners.add(listener)
          unsubscribe ??= subscribe()
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
  // nginx would gather it.
  'X-Accel-Buffering': 'no',
}

interface Listener {
  readonly audience: Audience
  changed(monitor_id: number, what: 'state' | 'round'): void
  close(): void
}

interface ListenerOptions {
  readonly clock: Pick<Clock, 'timer'>
  readonly subscription: Subscription
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  onClose(): void
}

function createListener({ clock, subscription, controller, onClose }: ListenerOptions): Listener {
  const { audience, states, rounds } = subscription
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
        send(': still here\n\n')
        if (open) beat()
      },
      { background: true },
    )
  }

  beat()
  send(`retry: ${RETRY_MS}\n\n`)
  return {
    audience,
    close,
    changed(monitor_id, what) {
      const soon = what === 'state'
      if (!(soon ? states : rounds).has(monitor_id)) return
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
    },
  }
}
