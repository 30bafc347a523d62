/**
 * The audit log: who changed what.
 *
 * @module
 */

import type { AuditEntryView } from '../engine/api/views.ts'
import { AUDIT_ACTIONS, AUDITED_RESOURCES } from '../model/audit.ts'
import { ok } from './envelope.ts'
import { arrayOf, integer, nullable, object, text, time, word } from './openapi/schemas.ts'
import type { Schema } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { cursorOf, paged, paging, param, requireOrder } from './query.ts'

export const listAuditLog = operation({
  summary: 'The audit log of the account, newest first',
  description:
    'One entry for each change of a monitor, a contact, planned work, a key or the account itself, with who made it.',
  scope: 'audit:read',
  tag: 'Audit log',
  query: {
    resource: param.oneOf(AUDITED_RESOURCES, 'Changes of such resources only'),
    resource_id: param.id('Changes of the resource with this id only; use it with `resource`'),
    action: param.oneOf(AUDIT_ACTIONS, 'Changes of this kind only'),
    actor: param.text('Changes of exactly this actor only', 200),
    from: param.time('Changed not before'),
    to: param.time('Changed before'),
    ...paging('audit-log'),
  },
  answers: { 200: { entries: arrayOf('AuditEntry'), next_cursor: nullable(text()) } },
  async run({ scope }, query) {
    requireOrder(query)
    const { items, next } = await scope.auditLog.list(paged(query))
    return ok({ entries: items, next_cursor: cursorOf('audit-log', next) })
  },
})

const id = integer('Positive, never used twice')
const value = (description: string): Schema => ({ description })

export const AUDIT_VIEWS: Readonly<Record<'AuditEntry', Schema>> = {
  AuditEntry: object<AuditEntryView>({
    id,
    at: time(),
    actor: nullable(
      text(
        'Who did it: `key:<id>`, `cli`, `page`, or what the host says; `null` where nobody said',
      ),
    ),
    action: word(AUDIT_ACTIONS),
    resource: word(AUDITED_RESOURCES),
    resource_id: id,
    resource_name: nullable(text('After the change; `null` for a removed account')),
    changes: arrayOf(
      object(
        {
          field: text('Dotted within a group'),
          from: value('Before; absent where it may be secret or is long'),
          to: value('After; absent where it may be secret or is long'),
        },
        { optional: ['from', 'to'] },
      ),
    ),
  }),
}
