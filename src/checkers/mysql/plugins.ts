/**
 * The authentication plugins of the driver: how it answers a server that asks for the password.
 *
 * Source: https://dev.mysql.com/doc/refman/8.4/en/caching-sha2-pluggable-authentication.html
 *
 * @module
 */

import type { SqlSettings } from '../sql/fields.ts'

/** Returns the function that answers each packet of one login. */
type MakeAnswer = (login: never) => (data: Buffer) => unknown
type AuthPlugin<Options> = (options: Options) => MakeAnswer

/** The plugins of mysql2 that are used. */
export interface MysqlAuthPlugins {
  readonly caching_sha2_password: AuthPlugin<{ readonly overrideIsSecure: boolean }>
  readonly sha256_password: AuthPlugin<Record<string, never>>
}

/** The server wants the password encrypted with a key that it sends itself. */
export class UnknownServerKey extends Error {
  constructor() {
    super('The key of the server is not known')
  }
}

/** What replaces the driver's own plugins. `secure`: the login is sent over TLS. */
export function pluginsFor(
  plugins: MysqlAuthPlugins,
  { tls, pass }: Pick<SqlSettings, 'tls' | 'pass'>,
  secure: boolean,
): Record<string, unknown> {
  if (secure) return overTls(plugins, pass)
  // `off` is a decision for a connection without protection. With `prefer`, somebody in between may have removed TLS.
  return tls === 'off' ? {} : withoutServerKeys(plugins)
}

/**
 * The driver does not know of the TLS connection, and without this would choose another
 * authentication path than the server.
 */
function overTls(plugins: MysqlAuthPlugins, pass: string): Record<string, unknown> {
  return {
    caching_sha2_password: plugins.caching_sha2_password({ overrideIsSecure: true }),
    sha256_password: () => () => Buffer.from(`${pass}\0`),
  }
}

/**
 * Whoever sent the key can decrypt what is encrypted with it. The clients of MySQL refuse this too, unless they are
 * told otherwise (`--get-server-public-key`).
 */
function withoutServerKeys(plugins: MysqlAuthPlugins): Record<string, unknown> {
  return {
    caching_sha2_password: refusing(
      plugins.caching_sha2_password({ overrideIsSecure: false }),
      Buffer.of(2),
    ),
    sha256_password: refusing(plugins.sha256_password({}), Buffer.of(1)),
  }
}

/** `request`: the packet that asks the server for its key. */
function refusing(make: MakeAnswer, request: Buffer): MakeAnswer {
  return (login) => {
    const answer = make(login)
    return (data) => {
      const said = answer(data)
      if (Buffer.isBuffer(said) && said.equals(request)) throw new UnknownServerKey()
      return said
    }
  }
}
