/**
 * Basic credentials in the settings of HTTP checkers.
 *
 * @module
 */

import type { Input } from '../../fields/field.ts'
import { takeUserinfo } from '../../fields/url.ts'
import { field } from '../../fields/vocabulary.ts'

const parts = {
  user: field.text({ max: 256, description: 'User name for Basic authentication' }),
  pass: field.secret({ description: 'Password for Basic authentication' }),
}

export const authField = field.group(parts, {
  description: 'Credentials for Basic authentication, for the first origin only',
})

interface Addressed {
  readonly url: string
  readonly auth?: Input<typeof parts>
}

/** Moves credentials from the URL to `auth`, which is a secret field. */
export function withoutUserinfo<S extends Addressed>(settings: S): S {
  const { url, auth } = takeUserinfo(settings.url)
  const taken = {
    ...(auth === undefined || auth.user === '' ? {} : { user: auth.user }),
    ...(auth === undefined || auth.pass === '' ? {} : { pass: auth.pass }),
  }
  const { auth: stored, ...rest } = settings
  const both = auth === undefined ? stored : taken
  const kept = both?.user == null && both?.pass == null ? {} : { auth: both }
  return { ...rest, url, ...kept } as S
}

/** A colon ends the user name in the header (RFC 7617, 2). */
export function userProblem(auth: Addressed['auth']): string | undefined {
  return auth?.user?.includes(':') === true
    ? 'invalid: the user name of Basic authentication has no colon'
    : undefined
}
