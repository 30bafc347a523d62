/**
 * `watchpost/otel`: spans around checks, commits and deliveries, and metrics, with `@opentelemetry/api` if installed.
 *
 * A check is the root of a trace, unless the host has an active span; its network calls are children. A commit is
 * linked to the checks whose rounds it stores, a delivery to the commit that queued it, since each of them serves
 * several others or happens much later. Attributes have the names of the OpenTelemetry semantic conventions
 * (https://opentelemetry.io/docs/specs/semconv/), otherwise names under `watchpost.`.
 *
 * @module watchpost/otel
 */

import type * as Api from '@opentelemetry/api'
import type { Span, SpanOptions, SpanContext, Attributes } from '@opentelemetry/api'
import { iso } from '../clock.ts'
import type { Tracing } from '../engine/core/core.ts'
import { isMissingPackage } from '../errors.ts'
import type { NotificationRecord, Outcome } from '../model.ts'
import { checkOptions } from '../options.ts'
import type { CheckOrder } from '../probes/transport.ts'
import { VERSION } from '../version.ts'

export { openTelemetryMetrics } from './metrics.ts'
export type { OpenTelemetryMetrics, OpenTelemetryMetricsOptions } from './metrics.ts'

/** Maximum number of rounds and notifications whose origin is kept until they are stored or sent. */
const ORIGINS = 10_000
/** Maximum number of links of one span; the SDKs have the same limit. */
const LINKS = 128

/**
 * For the option `tracing` of `createEngine`. Spans go to the SDK that the host registers, before or after this call;
 * without one they cost next to nothing. It has no options yet. `undefined` if `@opentelemetry/api` is not installed.
 */
export async function openTelemetry(
  options: Readonly<Record<string, never>> = {},
): Promise<Tracing | undefined> {
  checkOptions('openTelemetry', options, {})
  try {
    return tracingWith(await import('@opentelemetry/api'))
  } catch (error) {
    if (isMissingPackage(error, '@opentelemetry/api')) return undefined
    throw error
  }
}

function tracingWith({ trace, SpanKind, SpanStatusCode }: typeof Api): Tracing {
  const tracer = trace.getTracer('watchpost', VERSION)
  const checks = createOrigins(ORIGINS)
  const commits = createOrigins(ORIGINS)

  /** Runs `work` within the span and ends the span, recording an error. */
  function within<T>(
    name: string,
    options: SpanOptions,
    work: (span: Span) => Promise<T>,
  ): Promise<T> {
    return tracer.startActiveSpan(name, options, async (span) => {
      try {
        return await work(span)
      } catch (error) {
        if (error instanceof Error) span.recordException(error)
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }

  return {
    check: (order, work) =>
      within(
        `check ${order.type}`,
        { kind: SpanKind.CLIENT, attributes: orderAttributes(order) },
        async (span) => {
          const report = await work()
          const { outcome } = report
          span.setAttributes(outcomeAttributes(outcome))
          if (outcome.verdict !== 'ok') {
            const message = outcome.cause_text ?? ''
            span.setStatus({ code: SpanStatusCode.ERROR, message })
          }
          checks.add(roundKey(order.monitor_id, order.round), span.spanContext())
          return report
        },
      ),
    commit(changes, work) {
      const rounds = new Set(
        changes.flatMap(({ monitor_id, results = [] }) =>
          results.map(({ round }) => roundKey(monitor_id, round)),
        ),
      )
      const links = [...rounds]
        .flatMap((key) => checks.take(key))
        .slice(0, LINKS)
        .map((context) => ({ context }))
      const attributes = { 'watchpost.commit.changes': changes.length }
      return within('commit', { kind: SpanKind.INTERNAL, attributes, links }, async (span) => {
        const committed = await work()
        for (const each of committed) {
          const ids = each.ok ? each.notification_ids : []
          for (const id of ids) commits.add(String(id), span.spanContext())
        }
        return committed
      })
    },
    delivery(row, work) {
      const origins = commits.take(String(row.id))
      const options = {
        kind: SpanKind.PRODUCER,
        attributes: notificationAttributes(row),
        links: origins.map((context) => ({ context })),
      }
      return within(`deliver ${row.event}`, options, async (span) => {
        const ending = await work()
        const { status, error, attempt } = ending
        const http_status = attempt?.http_status ?? null
        span.setAttributes({
          'watchpost.delivery.status': status,
          ...(http_status === null ? {} : { 'http.response.status_code': http_status }),
          ...(error === null ? {} : { 'error.type': error }),
        })
        if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
        // A further attempt originates from the same commit.
        if (status === 'queued') for (const origin of origins) commits.add(String(row.id), origin)
        return ending
      })
    },
  }
}

function roundKey(monitor_id: number, round: number): string {
  return `${monitor_id}:${round}`
}

interface Origins {
  add(key: string, context: SpanContext): void
  /** Returns and removes all of this key. */
  take(key: string): readonly SpanContext[]
}

function createOrigins(limit: number): Origins {
  const known = new Map<string, SpanContext[]>()
  return {
    add(key, context) {
      const contexts = known.get(key)
      if (contexts !== undefined) {
        contexts.push(context)
        return
      }
      known.set(key, [context])
      const [oldest] = known.keys()
      if (known.size > limit && oldest !== undefined) known.delete(oldest)
    },
    take(key) {
      const contexts = known.get(key) ?? []
      known.delete(key)
      return contexts
    },
  }
}

/**
 * Attributes of a check at its start. Neither settings nor the full address of the target, since they may contain
 * secrets.
 */
function orderAttributes(order: CheckOrder): Attributes {
  return {
    'watchpost.monitor.id': order.monitor_id,
    'watchpost.monitor.type': order.type,
    'watchpost.location.name': order.location.name,
    'watchpost.round': iso(order.round),
    'server.address': order.host,
  }
}

/** Attributes of a check's outcome. `error.type` is the cause, as the convention requires for failures. */
function outcomeAttributes(outcome: Outcome): Attributes {
  const { verdict, cause_code, phase, remote_ip } = outcome
  return {
    'watchpost.check.verdict': verdict,
    ...(cause_code === null ? {} : { 'error.type': cause_code }),
    ...(phase === null ? {} : { 'watchpost.check.phase': phase }),
    ...(remote_ip === null ? {} : { 'network.peer.address': remote_ip }),
    ...Object.fromEntries(
      Object.entries(outcome.phases).map(([name, ms]) => [
        `watchpost.check.phase.${name.replace(/_ms$/, '')}.duration`,
        ms / 1000,
      ]),
    ),
  }
}

function notificationAttributes(row: NotificationRecord): Attributes {
  return {
    'watchpost.notification.id': row.id,
    'watchpost.notification.event': row.event,
    'watchpost.contact.id': row.contact_id,
    'watchpost.delivery.attempt': row.attempts + 1,
    ...(row.monitor_id === null ? {} : { 'watchpost.monitor.id': row.monitor_id }),
    ...(row.incident_id === null ? {} : { 'watchpost.incident.id': row.incident_id }),
  }
}
