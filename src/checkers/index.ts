/**
 * The built-in checkers, by name and all together.
 *
 * @module watchpost/checkers
 */

import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { OptionTable } from '../options.ts'

// built-in:begin, written by `npm run exports` from the folder
import { blacklist } from './blacklist/index.ts'
import type { BlacklistOptions } from './blacklist/index.ts'
import { content } from './content/index.ts'
import { dns } from './dns/index.ts'
import { domain } from './domain/index.ts'
import type { DomainOptions } from './domain/index.ts'
import { ftp } from './ftp.ts'
import { heartbeat } from './heartbeat/index.ts'
import { http } from './http/index.ts'
import { imap } from './imap/index.ts'
import { mysql } from './mysql/index.ts'
import { ping } from './ping.ts'
import { pop3 } from './pop3.ts'
import { postgres } from './postgres/index.ts'
import { resources } from './resources/index.ts'
import { smtp } from './smtp.ts'
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

/** Options of the types that have options. */
export interface BuiltinOptions {
  readonly blacklist?: BlacklistOptions | undefined
  readonly domain?: DomainOptions | undefined
}

const OPTIONS: OptionTable<BuiltinOptions> = {
  blacklist: option.object,
  domain: option.object,
}

const all = (options: BuiltinOptions) =>
  [
    http(),
    content(),
    ping(),
    tcp(),
    dns(),
    ssl(),
    domain(options.domain),
    smtp(),
    pop3(),
    imap(),
    ftp(),
    mysql(),
    postgres(),
    resources(),
    heartbeat(),
    blacklist(options.blacklist),
  ] as const
// built-in:end

/**
 * One of each, in the order of the documentation, for `createEngine({ checkers })`.
 *
 * @throws ConfigurationError for an invalid option
 */
export const builtinCheckers = (options: BuiltinOptions = {}) => {
  checkOptions('builtinCheckers', options, OPTIONS)
  return all(options)
}
