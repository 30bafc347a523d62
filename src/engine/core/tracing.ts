/**
 * A port for whoever wants to stand around the work of the engine: `watchpost/otel` fills it.
 *
 * @module
 */

import type { CheckReport, NotificationRecord } from '../../model.ts'
import type { CheckOrder } from '../../probes/transport.ts'
import type { Change, Committed } from '../../store/store.ts'

/** Each function carries `work` out once and hands on what it yields or throws; it adds no wait of its own. */
export interface Tracing {
  /** A check that this process makes. */
  check(order: CheckOrder, work: () => Promise<CheckReport>): Promise<CheckReport>
  /** Changes that are stored together. */
  commit(
    changes: readonly Change[],
    work: () => Promise<readonly Committed[]>,
  ): Promise<readonly Committed[]>
  /** One attempt to deliver a notification; `ending` is what it came to. */
  delivery<E extends TracedAttempt>(row: NotificationRecord, work: () => Promise<E>): Promise<E>
}

interface TracedAttempt {
  /** `queued` where it will be tried again. */
  readonly status: 'sent' | 'failed' | 'queued' | 'cancelled'
  readonly error: string | null
  readonly attempt?: { readonly http_status: number | null }
}
