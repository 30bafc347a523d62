/**
 * What both sides are told: where Redis is, and the key that closes what passes over it.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { systemClock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import { loggerOf } from '../../logger.ts'
import type { Logger } from '../../logger.ts'
import * as option from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import { namesUnder } from './names.ts'
import type { Names } from './names.ts'
import { createWire } from './wire.ts'
import type { Wire } from './wire.ts'

/** `redis://user:password@host:6379/0`, `rediss://…` for TLS, or the same in parts. */
export type RedisAddress = string | RedisParts

export interface RedisParts {
  readonly host: string
  /** Default 6379. */
  readonly port?: number | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Number of the database, default 0. */
  readonly db?: number | undefined
  /** `true`, or what to trust (PEM) and which name to expect of the server. */
  readonly tls?:
    | boolean
    | { readonly ca?: string | undefined; readonly servername?: string | undefined }
    | undefined
}

export interface QueueOptions {
  /** Redis 6.2 or later. Not a cluster. */
  readonly connection: RedisAddress
  /** 32 bytes, or their base64; the same for the engine and its probes. Orders and answers are sealed with it. */
  readonly secretKey?: string | Uint8Array | undefined
  /** Instead of a key: orders, with the passwords of monitors in them, stand on Redis in clear. */
  readonly plainText?: true | undefined
  /** Begins every key, default `watchpost`. */
  readonly prefix?: string | undefined
  /** How often each side says and looks who is there, default 5000 ms. A lost probe is noticed within three. */
  readonly beat_ms?: number | undefined
  readonly clock?: Clock | undefined
  /** Default: errors are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
}

const BEAT_MS = 5000

/** What is left of the options once they are known to work. */
export interface Setup {
  readonly connection: RedisAddress
  /** Of this engine or this probe, until it stops. */
  readonly id: string
  readonly wire: Wire
  readonly names: Names
  readonly beat_ms: number
  readonly clock: Clock
  readonly log: Logger
}

export const queueOptions: OptionTable<QueueOptions> = {
  connection: option.eitherOf('an address, or its parts,', option.text, option.object),
  secretKey: option.eitherOf('32 bytes, or their base64,', option.text, option.bytes),
  plainText: option.flag,
  prefix: option.text,
  beat_ms: option.anything,
  clock: option.clock,
  logger: option.logger,
}

/** @throws ConfigurationError */
export function setupOf(options: QueueOptions): Setup {
  const { connection, prefix = 'watchpost', beat_ms = BEAT_MS } = options
  checkAddress(connection)
  if (!/^[\w.-]{1,64}$/.test(prefix))
    throw new ConfigurationError('The prefix on Redis is 1 to 64 letters, digits, ".", "_" or "-"')
  if (!(beat_ms >= 50 && beat_ms <= 60_000))
    throw new ConfigurationError('beat_ms is a number from 50 to 60000')
  if (options.secretKey === undefined && options.plainText !== true)
    throw new ConfigurationError(
      'Orders hold the passwords of monitors: give a secretKey (32 bytes, the same for engine and probes), ' +
        'or say plainText: true where nobody else reads this Redis',
    )
  return {
    connection,
    id: randomBytes(8).toString('hex'),
    wire: createWire(options.secretKey),
    names: namesUnder(prefix),
    beat_ms,
    clock: options.clock ?? systemClock,
    log: loggerOf(options.logger),
  }
}

/** The address is not repeated: it may hold a password. */
function checkAddress(connection: RedisAddress): void {
  if (typeof connection !== 'string') return
  const url = URL.canParse(connection) ? new URL(connection) : undefined
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new ConfigurationError(
      'The address of Redis is of the form redis://user:password@host:6379/0 (rediss:// for TLS)',
    )
}
