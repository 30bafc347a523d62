/**
 * The order of one check, as a probe transport carries it.
 *
 * @module
 */

import { hostOf } from '../../net/connection/endpoint.ts'
import type { JsonObject, MonitorRecord } from '../../model.ts'
import type { CheckOrder } from '../../probes/transport.ts'

interface Ordered {
  readonly record: Pick<MonitorRecord, 'id' | 'version' | 'account_id' | 'type' | 'target'> & {
    readonly common: Pick<MonitorRecord['common'], 'timeout_ms' | 'interval_sec'>
  }
  /** With secrets in clear. */
  readonly settings: JsonObject
}

/** The order for the check of a monitor at one location in one round. */
export function checkOrder(
  { record, settings }: Ordered,
  part: Pick<CheckOrder, 'location' | 'round' | 'expires_at' | 'memo'>,
): CheckOrder {
  return {
    id: `${record.id}-${record.version}-${part.round}-${part.location.id}`,
    account_id: record.account_id,
    monitor_id: record.id,
    version: record.version,
    type: record.type,
    settings,
    timeout_ms: record.common.timeout_ms,
    interval_sec: record.common.interval_sec,
    host: hostOf(record.target),
    ...part,
  }
}
