/** The built-in contact kinds, as docs/guide/contacts.md lists them. */

import { builtinContacts } from '../../src/contacts/index.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'
import { code, plain, table } from './markdown.ts'

export function contactTable(): string {
  const rows = builtinContacts().map(({ kind, title, fields }) => [
    kind === 'webhook' ? code(kind) : `[${code(kind)}](#${kind})`,
    plain(title),
    namesOf(fields, ({ presence }) => presence === 'required'),
    namesOf(fields, ({ info }) => info.secret !== undefined),
  ])
  return table(['Kind', 'Name', 'Required settings', 'Secrets'], rows)
}

type Fields = AnyContactKind['fields']

function namesOf(fields: Fields, wanted: (field: Fields[string]) => boolean): string {
  return Object.entries(fields)
    .filter(([, field]) => wanted(field))
    .map(([name]) => code(name))
    .join(', ')
}
