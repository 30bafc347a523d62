/**
 * Login to an IMAP server, and the causes of a refusal.
 *
 * @module
 */

import { failure } from '../mail/causes.ts'
import type { Session } from '../mail/converse.ts'
import { saslPlain } from '../mail/words.ts'
import type { Login } from '../mail/words.ts'
import type { Answer } from './answers.ts'
import type { Commands } from './commands.ts'

/** Resolves with the method. AUTHENTICATE is preferred, since LOGIN cannot transport UTF-8. */
export async function loginWith(
  commands: Commands,
  session: Session,
  login: Login,
): Promise<string> {
  const offered = session.capabilities.map((each) => each.toUpperCase())
  if (offered.includes('AUTH=PLAIN')) {
    const { done } = await commands.run(session, 'AUTHENTICATE PLAIN', saslPlain(login))
    return judge(done, session, 'PLAIN')
  }
  if (offered.includes('LOGINDISABLED')) {
    throw failure('auth_unsupported', 'The server offers no login on this connection', 'auth')
  }
  const command = await commands.compile('LOGIN', [login.user, login.pass])
  const { done } = await commands.run(session, command)
  return judge(done, session, 'LOGIN')
}

/** Response codes of RFC 5530, 3. */
const TEMPORARY = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'OVERQUOTA']

function judge(done: Answer, { quote }: Session, method: string): string {
  if (done.word === 'OK') return method
  const said = quote(done.said)
  const [code = ''] = done.code
  if (TEMPORARY.includes(code.toUpperCase())) {
    throw failure('auth_temporary', `The server could not check the login: ${said}`, 'auth')
  }
  if (code.toUpperCase() === 'PRIVACYREQUIRED') {
    throw failure('auth_unsupported', `The server wants TLS before a login: ${said}`, 'auth')
  }
  if (done.word === 'BAD') {
    throw failure('protocol_error', `The server did not understand the login: ${said}`, 'auth')
  }
  throw failure('auth_failed', `The server refused the login: ${said}`, 'auth')
}
