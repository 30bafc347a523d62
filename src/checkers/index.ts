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
import { group } from './extra/group.ts'
import { grpc } from './extra/grpc/index.ts'
import { heartbeat } from './heartbeat/index.ts'
import { http } from './http/index.ts'
import { imap } from './imap/index.ts'
import { mysql } from './mysql/index.ts'
import { ping } from './ping.ts'
import { pop3 } from './pop3.ts'
import { postgres } from './postgres/index.ts'
import { redis } from './extra/redis.ts'
import { resources } from './resources/index.ts'
import { smtp } from './smtp.ts'
import { ssl } from './ssl/index.ts'
import { tcp } from './tcp.ts'
import { websocket } from './extra/websocket/index.ts'

export {
  blacklist,
  content,
  dns,
  domain,
  ftp,
  group,
  grpc,
  heartbeat,
  http,
  imap,
  mysql,
  ping,
  pop3,
  postgres,
  redis,
  resources,
  smtp,
  ssl,
  tcp,
  websocket,
}

/** Options of the types that have options. */
interface OptionsByType {
  readonly blacklist?: BlacklistOptions | undefined
  readonly domain?: DomainOptions | undefined
}

const OPTIONS_BY_TYPE: OptionTable<OptionsByType> = {
  blacklist: option.object,
  domain: option.object,
}

const specified = (options: OptionsByType) =>
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

const beyond = () => [group(), grpc(), redis(), websocket()] as const
// built-in:end

export interface BuiltinOptions extends OptionsByType {
  /** Also the types beyond those of the specification, which follow by name. Default `false`. */
  readonly extra?: boolean | undefined
}

type Specified = ReturnType<typeof specified>
type Beyond = ReturnType<typeof beyond>

/** Any of the types of the specification. */
export type SpecifiedChecker = Specified[number]
/** Any of the types beyond the specification, which `extra` adds. */
export type ExtraChecker = Beyond[number]

/**
 * One of each, in the order of the documentation, for `createEngine({ checkers })`: the types of the
 * specification, and with `extra` those beyond it.
 *
 * @throws ConfigurationError for an invalid option
 */
export function builtinCheckers(
  options: BuiltinOptions & { readonly extra: true },
): readonly [...Specified, ...Beyond]
export function builtinCheckers(
  options?: BuiltinOptions & { readonly extra?: false | undefined },
): Specified
export function builtinCheckers(
  options: BuiltinOptions,
): readonly (SpecifiedChecker | ExtraChecker)[]
export function builtinCheckers(
  options: BuiltinOptions = {},
): readonly (SpecifiedChecker | ExtraChecker)[] {
  checkOptions('builtinCheckers', options, { ...OPTIONS_BY_TYPE, extra: option.flag })
  const { extra = false } = options
  return extra ? [...specified(options), ...beyond()] : specified(options)
}
