/**
 * The hostile farm: servers that misbehave in every way known to us, as one table. What a checker meets
 * here must neither crash it, nor hold it beyond its deadline, nor leave a socket behind, and the cause
 * it names has to be true.
 *
 * ```ts
 * it.each(hostileTo('smtp'))('$name', async ({ start, expect: causes }) => { … })
 * ```
 *
 * @module
 */

import { ANY } from './any.ts'
import { DNS } from './dns.ts'
import { HTTP_BODY } from './http-body.ts'
import { HTTP_HEAD } from './http.ts'
import { HTTP2 } from './http2.ts'
import { FTP_OWN, IMAP_OWN, POP3_OWN, SMTP_OWN } from './mail-and-ftp-own.ts'
import { MAIL_AND_FTP } from './mail-and-ftp.ts'
import { MYSQL } from './mysql.ts'
import { POSTGRES } from './postgres.ts'
import type { HostileProtocol, HostileServer } from './rig.ts'
import { TLS } from './tls.ts'

export type { HostileProtocol, HostileServer, RunningHostile } from './rig.ts'

export const FARM: readonly HostileServer[] = [
  ...ANY,
  ...TLS,
  ...HTTP_HEAD,
  ...HTTP_BODY,
  ...HTTP2,
  ...MAIL_AND_FTP,
  ...SMTP_OWN,
  ...IMAP_OWN,
  ...POP3_OWN,
  ...FTP_OWN,
  ...MYSQL,
  ...POSTGRES,
  ...DNS,
]

/** Those of the named protocols, in the order of the table. */
export function hostileTo(...protocols: readonly HostileProtocol[]): HostileServer[] {
  return FARM.filter((server) => protocols.includes(server.protocol))
}
