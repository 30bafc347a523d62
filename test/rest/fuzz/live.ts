/** What there is in the service at present, so that requests meet it: places in a request become ids. */

import type { Shot } from './shot.ts'

/** `{monitor}`, `{monitor.http}`, `{token}`, …: resolved when the request is sent. */
export function place(kind: string, type?: string): string {
  return `{${kind}${type === undefined ? '' : `.${type}`}}`
}

interface LiveMonitor {
  readonly id: number
  readonly type: string
  readonly token: string | undefined
}

export interface Live {
  readonly monitors: readonly LiveMonitor[]
  /** The request with things that are there; the next one of its kind each time. */
  fill(shot: Shot): Shot
  forget(id: number): void
  /** Learns from an answer what has come and gone. */
  learn(status: number, headers: ReadonlyMap<string, string>, body: unknown): void
}

export function createLive(): Live {
  let monitors: LiveMonitor[] = []
  let turn = 0
  let etag = '"1"'
  let cursor = 'bW9uaXRvcnM6MQ'
  let notification = 1
  let maintenance = 1
  // The first page stays: reports stand on it.
  let page = 2
  let report = 1

  function valueOf(kind: string, type: string | undefined): string {
    turn += 1
    const fitting = monitors.filter((one) =>
      kind === 'token' ? one.token !== undefined : type === undefined || one.type === type,
    )
    const monitor = fitting[turn % Math.max(1, fitting.length)]
    if (kind === 'monitor') return String(monitor?.id ?? 1)
    if (kind === 'token') return monitor?.token ?? 'unknown'
    if (kind === 'etag') return etag
    if (kind === 'cursor') return cursor
    if (kind === 'maintenance') return String(maintenance)
    if (kind === 'page') return String(page)
    if (kind === 'report') return String(report)
    if (kind === 'notification') return String(1 + (turn % notification))
    // One location, one contact, and the incident of the monitor that is always down.
    return '1'
  }

  const filled = (text: string): string =>
    text.replace(/\{(\w+)(?:\.(\w+))?\}/g, (_all, kind: string, type?: string) =>
      valueOf(kind, type),
    )

  return {
    get monitors() {
      return monitors
    },
    fill: (shot) => ({
      ...shot,
      path: filled(shot.path),
      query: shot.query.map(filled),
      headers: shot.headers.map(([name, value]) => [name, filled(value)] as const),
    }),
    forget: (id) => void (monitors = monitors.filter((one) => one.id !== id)),
    learn(status, headers, body) {
      etag = headers.get('etag') ?? etag
      const {
        monitor,
        deleted,
        next_cursor,
        notification: told,
        maintenance: made,
        public_page: shown,
        status_report: written,
      } = asRecord(body)
      const { id, type, token } = asRecord(monitor)
      if (status === 201 && monitor !== undefined && !monitors.some((one) => one.id === id)) {
        monitors.push({ id: Number(id), type: String(type), token: token as string | undefined })
      }
      if (status === 201 && made !== undefined) maintenance = Number(asRecord(made)['id'])
      if (status === 201 && written !== undefined) report = Number(asRecord(written)['id'])
      if (status === 201 && shown !== undefined) page = Number(asRecord(shown)['id'])
      if (deleted !== undefined) {
        monitors = monitors.filter((one) => one.id !== asRecord(deleted)['id'])
      }
      if (typeof next_cursor === 'string') cursor = next_cursor
      notification = Math.max(notification, Number(asRecord(told)['id'] ?? 1))
    },
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
