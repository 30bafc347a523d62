/**
 * E-mail addresses as settings: one mailbox, without a display name, brackets or characters that
 * could end a header or command.
 *
 * @module
 */

import { domainToASCII } from 'node:url'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'

/** RFC 5321, 4.5.3.1. */
const LOCAL_CHARS = 64
const ADDRESS_CHARS = 254

/** `Dot-string` of RFC 5321, 4.1.2. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const DOMAIN =
  /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/

/** One address; the domain is stored as A-labels. */
export function addressField(info: {
  readonly description: string
  readonly example?: string
}): FieldBuilder<string> {
  return defineField(
    { kind: 'string', format: 'email', min: 3, max: ADDRESS_CHARS, ...info },
    {
      '~standard': {
        version: 1,
        vendor: 'watchpost',
        validate(value) {
          const address = typeof value === 'string' ? parseAddress(value) : undefined
          return address === undefined
            ? { issues: [{ message: 'invalid: one e-mail address is expected' }] }
            : { value: address }
        },
      },
    },
  )
}

function parseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, Math.max(0, at))
  const domain = domainToASCII(trimmed.slice(at + 1)).toLowerCase()
  const address = `${local}@${domain}`
  const fits = local.length <= LOCAL_CHARS && address.length <= ADDRESS_CHARS
  return fits && LOCAL.test(local) && DOMAIN.test(domain) ? address : undefined
}
