/**
 * The interface for tracing the work of the engine; `watchpost/otel` implements it.
 *
 * @module
 */

import type { CheckReport, NotificationRecord } from '../../model.ts'
import type { CheckOrder } from '../../probes/transport.ts'
import type { Change, Committed } from '../../store/store.ts'

/** Each function calls `work` once and returns its result or error; it adds no wait of its own. */
export interface Tracing {
  /** A check that this process runs. */
  check(order: CheckOrder, work: () => Promise<CheckReport>): Promise<CheckReport>
  /** Changes that are committed together. */
  commit(
    changes: readonly Change[],
    work: () => Promise<readonly Committed[]>,
  ): Promise<readonly Committed[]>
  /** One attempt to deliver a notification; its result is in the returned value. */
  delivery<E extends TracedAttempt>(row: NotificationRecord, work: () => Promise<E>): Promise<E>
}

interface TracedAttempt {
  /** `queued` if it will be retried. */
  readonly status: 'sent' | 'failed' | 'queued' | 'cancelled'
  readonly error: string | null
  readonly attempt?: { readonly http_status: number | null }
}
