import type { AuditRecord, NewAuditRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { accountAsked } from '../rules.ts'
import { toAudit } from '../rows.ts'
import { AUDIT_COLUMNS, auditConditions, insertInto, where } from '../sql.ts'
import type { FullStore } from '../store.ts'
import type { Connection } from './connection.ts'

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

export function auditLog(db: Connection): Sync<FullStore['auditLog']> {
  return {
    list(query) {
      const { text, params } = where(auditConditions(query, accountAsked(query)))
      const sql = `SELECT * FROM audit_log${text} ORDER BY id DESC LIMIT ?`
      return db.all(sql, [...params, query.limit]).map(toAudit)
    },
  }
}
