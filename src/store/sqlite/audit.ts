import type { AuditRecord, NewAuditRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { accountAsked } from '../rules.ts'
import { readablePage } from '../readable.ts'
import { toAudit } from '../rows.ts'
import { AUDIT_COLUMNS, auditConditions, insertInto } from '../sql.ts'
import type { Condition } from '../sql.ts'
import type { AuditQuery, FullStore } from '../store.ts'
import type { Connection } from './connection.ts'
import { createScan } from './scan.ts'
import type { Scanned } from './scan.ts'

const INSERT = insertInto('audit_log', AUDIT_COLUMNS)

/** Within the transaction of the change that it describes. */
export function addAudit(
  db: Connection,
  audit: NewAuditRecord | undefined,
  { id: resource_id, account_id }: Pick<AuditRecord, 'id' | 'account_id'>,
): void {
  if (audit === undefined) return
  const row = { ...audit, account_id, resource_id, changes: JSON.stringify(audit.changes) }
  db.insert(
    INSERT,
    AUDIT_COLUMNS.map((column) => row[column]),
  )
}

export function auditLog(db: Connection): Sync<FullStore['auditLog'], 'list'> {
  const scan = createScan(db)
  return {
    list(query, onUnreadable) {
      const { limit, before_id: after } = query
      const order = 'desc'
      const rows = (after: number | undefined, limit: number) =>
        scan({
          table: 'audit_log',
          columns: '*',
          ...byIndex(auditConditions(query, accountAsked(query)), query),
          after,
          order,
          limit,
        })
      return readablePage({ order, limit, after, rows, read: toAudit, onUnreadable })
    },
  }
}

/** The conditions of the one index that has the rows in the order of their ids, and the others. */
function byIndex(
  conditions: readonly Condition[],
  { resource, resource_id, actor }: AuditQuery,
): Pick<Scanned, 'of' | 'filters'> {
  const columns = ['account_id']
  if (resource !== undefined && resource_id !== undefined) columns.push('resource', 'resource_id')
  else if (actor !== undefined) columns.push('actor')
  const isOf = ([text]: Condition): boolean => columns.includes(text.split(' ', 1)[0] ?? '')
  return {
    of: conditions.filter(isOf),
    // The unary plus disables the other indices: they would read the rows of all other steps as well.
    filters: conditions
      .filter((condition) => !isOf(condition) && !condition[0].startsWith('id '))
      .map(([text, value]) => [`+${text}`, value]),
  }
}
