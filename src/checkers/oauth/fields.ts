/**
 * The settings of OAuth2 client credentials (RFC 6749, 4.4).
 *
 * @module
 */

import type { Input, Settings } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { field } from '../../fields/vocabulary.ts'

const parts = {
  token_url: field.url({
    description: 'Token endpoint of the authorization server',
    example: 'https://login.example.com/oauth2/token',
  }),
  client_id: field.text({ max: 1024, description: 'Client identifier' }),
  client_secret: field.secret({ description: 'Client secret, for the token endpoint only' }),
  scope: field.text({
    max: 2048,
    description: 'Scopes to ask for, with a space between them; those of the client where absent',
    example: 'orders:read',
  }),
  audience: field.text({
    max: 2048,
    description: 'The API that the token is for, where the authorization server asks for it',
  }),
  auth_method: field.oneOf(['client_secret_basic', 'client_secret_post'], {
    description:
      'How the client authenticates: by a header or in the body. Default: client_secret_basic',
  }),
}

export const oauthField = field.group(parts, {
  description: 'OAuth2 client credentials: the token is sent to the first origin only',
})

/** What a token is asked for with. */
export type ClientCredentials = Settings<typeof parts> &
  Required<Pick<Settings<typeof parts>, 'token_url' | 'client_id' | 'client_secret'>>

interface Authorized {
  readonly oauth?: Input<typeof parts>
  /** Other credentials of the same header. */
  readonly auth?: object | undefined
  readonly secret?: string | undefined
  readonly headers?: Readonly<Record<string, unknown>> | undefined
}

/** Without the group where nothing in it is set. */
export function withoutEmptyGrant<S extends Authorized>(settings: S): S {
  const { oauth, ...rest } = settings
  const isEmpty = Object.values(oauth ?? {}).every((value) => value == null)
  return oauth !== undefined && isEmpty ? (rest as S) : settings
}

/** A scope is one or more words of visible ASCII without `"` and `\` (RFC 6749, 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

export function oauthProblems({ oauth, auth, secret, headers = {} }: Authorized): Problems {
  if (oauth === undefined) return {}
  const problems: Record<string, string> = {}
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const others = {
    auth,
    secret,
    'headers.authorization': names.includes('authorization') || undefined,
  }
  for (const [name, other] of Object.entries(others)) {
    if (other !== undefined) problems['oauth.token_url'] = `invalid: ${name} is set as well`
  }
  for (const name of ['token_url', 'client_id', 'client_secret'] as const) {
    if (oauth[name] == null) problems[`oauth.${name}`] = 'required: oauth needs it'
  }
  if (oauth.scope != null && !SCOPE.test(oauth.scope))
    problems['oauth.scope'] = 'invalid: words of ASCII with one space between them are expected'
  return problems
}
