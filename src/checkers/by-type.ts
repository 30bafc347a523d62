/**
 * The built-in checkers, each loaded on request: a process that runs one check need not load the
 * code of sixteen.
 *
 * @module
 */

import type { AnyChecker } from './checker.ts'
import type { BuiltinOptions } from './index.ts'

// built-in:begin, written by `npm run exports` from the folder
/** By type code, in the order of the documentation. */
const LOADERS: Readonly<Record<string, (options: BuiltinOptions) => Promise<AnyChecker>>> = {
  http: async () => (await import('./http/index.ts')).http(),
  content: async () => (await import('./content/index.ts')).content(),
  ping: async () => (await import('./ping.ts')).ping(),
  tcp: async () => (await import('./tcp.ts')).tcp(),
  dns: async () => (await import('./dns/index.ts')).dns(),
  ssl: async () => (await import('./ssl/index.ts')).ssl(),
  domain: async (options) => (await import('./domain/index.ts')).domain(options.domain),
  smtp: async () => (await import('./smtp.ts')).smtp(),
  pop3: async () => (await import('./pop3.ts')).pop3(),
  imap: async () => (await import('./imap/index.ts')).imap(),
  ftp: async () => (await import('./ftp.ts')).ftp(),
  mysql: async () => (await import('./mysql/index.ts')).mysql(),
  postgres: async () => (await import('./postgres/index.ts')).postgres(),
  resources: async () => (await import('./resources/index.ts')).resources(),
  heartbeat: async () => (await import('./heartbeat/index.ts')).heartbeat(),
  blacklist: async (options) => (await import('./blacklist/index.ts')).blacklist(options.blacklist),
  group: async () => (await import('./extra/group.ts')).group(),
  grpc: async () => (await import('./extra/grpc/index.ts')).grpc(),
  redis: async () => (await import('./extra/redis.ts')).redis(),
  websocket: async () => (await import('./extra/websocket/index.ts')).websocket(),
}

/** The type codes beyond the specification. */
export const EXTRA_TYPES: readonly string[] = ['group', 'grpc', 'redis', 'websocket']
// built-in:end

/** The type codes that {@link loadChecker} knows. */
export const CHECKER_TYPES: readonly string[] = Object.keys(LOADERS)

/** The checker of this type; `undefined` if there is none. */
export async function loadChecker(
  type: string,
  options: BuiltinOptions = {},
): Promise<AnyChecker | undefined> {
  return Object.hasOwn(LOADERS, type) ? LOADERS[type]?.(options) : undefined
}
