/**
 * The checkers that ship with watchpost, by name and all together.
 *
 * @module watchpost/checkers
 */

import { blacklist } from './blacklist/index.ts'
import { content } from './content/index.ts'
import { dns } from './dns/index.ts'
import { domain } from './domain/index.ts'
import { ftp } from './ftp.ts'
import { heartbeat } from './heartbeat/index.ts'
import { http } from './http/index.ts'
import { imap } from './imap/index.ts'
import { mysql } from './mysql/index.ts'
import { ping } from './ping/index.ts'
import { pop3 } from './pop3.ts'
import { postgres } from './postgres/index.ts'
import { resources } from './resources/index.ts'
import { smtp } from './smtp/index.ts'
import { ssl } from './ssl/index.ts'
import { tcp } from './tcp.ts'

export {
  blacklist,
  content,
  dns,
  domain,
  ftp,
  heartbeat,
  http,
  imap,
  mysql,
  ping,
  pop3,
  postgres,
  resources,
  smtp,
  ssl,
  tcp,
}

/** One of each, in the order of the documentation: what `createEngine({ checkers })` takes. */
export const builtinCheckers = () =>
  [
    http(),
    content(),
    ping(),
    tcp(),
    dns(),
    ssl(),
    domain(),
    smtp(),
    pop3(),
    imap(),
    ftp(),
    mysql(),
    postgres(),
    resources(),
    heartbeat(),
    blacklist(),
  ] as const
