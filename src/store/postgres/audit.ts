import type { AuditRecord, NewAuditRecord } from '../../model.ts'
import { readablePage } from '../readable.ts'
import { toAudit } from '../rows.ts'
import { accountAsked } from '../rules.ts'
import { auditConditions, where } from '../sql.ts'
import type { FullStore } from '../store.ts'
import { arraysOf, insertAll } from './bulk.ts'
import type { Columns } from './bulk.ts'
import type { Database, Session } from './database.ts'

const COLUMNS = {
  account_id: 'bigint',
  at: 'bigint',
  resource: 'text',
  resource_id: 'bigint',
  resource_name: 'text',
  action: 'text',
  actor: 'text',
  changes: 'text',
} as const satisfies Columns

const INSERT = insertAll('watchpost.audit_log', COLUMNS)

/** What an entry describes. */
type Described = Pick<AuditRecord, 'id' | 'account_id'>

/** Within the transaction of the change that it describes. */
export async function addAudit(
  session: Session,
  audit: NewAuditRecord | undefined,
  { id, account_id }: Described,
): Promise<void> {
  if (audit !== undefined) await addAudits(session, [{ audit, id, account_id }])
}

export async function addAudits(
  session: Session,
  entries: readonly (Described & { readonly audit: NewAuditRecord })[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ audit, id, account_id }) => ({
    ...{ ...audit, account_id, resource_id: id },
    changes: JSON.stringify(audit.changes),
  }))
  await session.run(INSERT, arraysOf(COLUMNS, rows))
}

export function auditLog(db: Database): FullStore['auditLog'] {
  return {
    list(query, onUnreadable) {
      const { before_id: after, limit } = query
      const rows = (before_id: number | undefined, limit: number) => {
        const asked = before_id === undefined ? query : { ...query, before_id }
        const { text, params } = where(auditConditions(asked, accountAsked(query)))
        const sql = `SELECT * FROM watchpost.audit_log${text} ORDER BY id DESC LIMIT ?`
        return db.search(sql, [...params, limit])
      }
      return readablePage({ order: 'desc', limit, after, rows, read: toAudit, onUnreadable })
    },
  }
}
