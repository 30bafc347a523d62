/**
 * The options of both sides: the address of Redis, and the key that encrypts orders and answers.
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
import { createWire } from './wire.ts'
import type { Wire } from './wire.ts'
import { canParseUrl } from '../../model/url.ts'

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
  /** `true`, or the trusted certificates (PEM) and the expected server name. */
  readonly tls?:
    | boolean
    | { readonly ca?: string | undefined; readonly servername?: string | undefined }
    | undefined
}

export interface QueueOptions {
  /** Redis 6.2 or later. Not a cluster. */
  readonly connection: RedisAddress
  /** 32 bytes, or their base64; the same for the engine and its probes. Encrypts orders and answers. */
  readonly secretKey?: string | Uint8Array | undefined
  /** Instead of a key: orders, including passwords of monitors, are stored on Redis unencrypted. */
  readonly plainText?: true | undefined
  /** Prefix of every key, default `watchpost`. */
  readonly prefix?: string | undefined
  /** Interval of the beats of each side, default 5000 ms. A lost probe is detected within three. */
  readonly beatMs?: number | undefined
  readonly clock?: Clock | undefined
  /** Default: errors are one line each on stderr. `false`: nothing. */
  readonly logger?: Logger | false | undefined
}

const BEAT_MS = 5000

/** The validated options. */
export interface Setup {
  readonly connection: RedisAddress
  /** Id of this engine or probe for its lifetime. */
  readonly id: string
  readonly wire: Wire
  readonly names: Names
  readonly beatMs: number
  readonly clock: Clock
  readonly log: Logger
}

export const queueOptions: OptionTable<QueueOptions> = {
  connection: option.eitherOf('an address, or its parts,', option.text, option.object),
  secretKey: option.eitherOf('32 bytes, or their base64,', option.text, option.bytes),
  plainText: option.flag,
  prefix: option.text,
  beatMs: option.anything,
  clock: option.clock,
  logger: option.logger,
}

/** @throws ConfigurationError */
export function setupOf(options: QueueOptions): Setup {
  const { connection, prefix = 'watchpost', beatMs = BEAT_MS } = options
  checkAddress(connection)
  if (!/^[\w.-]{1,64}$/.test(prefix))
    throw new ConfigurationError('The prefix on Redis is 1 to 64 letters, digits, ".", "_" or "-"')
  if (!(beatMs >= 50 && beatMs <= 60_000))
    throw new ConfigurationError('beatMs is a number from 50 to 60000')
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
    beatMs,
    clock: options.clock ?? systemClock,
    log: loggerOf(options.logger),
  }
}

/** The address is not repeated: it may contain a password. */
function checkAddress(connection: RedisAddress): void {
  if (typeof connection !== 'string') return
  const url = canParseUrl(connection) ? new URL(connection) : undefined
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new ConfigurationError(
      'The address of Redis is of the form redis://user:password@host:6379/0 (rediss:// for TLS)',
    )
}

/** Whether a text from Redis can be the id of an engine: others name no queue. */
export function isEngineId(text: unknown): text is string {
  return typeof text === 'string' && /^[\da-f]{16}$/.test(text)
}

/**
 * Names of queues, keys and channels on Redis. They are the contract between engines and probes of different
 * versions, and the basis of Redis ACL rules.
 */
export interface Names {
  /** In front of every key and channel. */
  readonly prefix: string
  /** Queue of the orders for a location. */
  orders(location: string): string
  /** Queue of the answers for one engine. */
  answers(engine: string): string
  /** Key of one job of a queue. */
  job(queue: string, id: string): string
  /** Sorted set of engines by the time of their last beat, in ms of Redis' clock. */
  readonly engines: string
  /** The beat of one engine. */
  engine(id: string): string
  /** Set of the ids of probes at a location. */
  probes(location: string): string
  /** The beat of one probe. */
  probe(location: string, id: string): string
  /** Channel on which probes of a location receive the ids of cancelled orders. */
  cancel(location: string): string
}

export function namesUnder(prefix: string): Names {
  return {
    prefix,
    orders: (location) => `orders-${plain(location)}`,
    answers: (engine) => `answers-${engine}`,
    job: (queue, id) => `${prefix}:${queue}:${id}`,
    engines: `${prefix}:engines`,
    engine: (id) => `${prefix}:engine:${id}`,
    probes: (location) => `${prefix}:probes:${plain(location)}`,
    probe: (location, id) => `${prefix}:probe:${plain(location)}:${id}`,
    cancel: (location) => `${prefix}:cancel:${plain(location)}`,
  }
}

/** A location may have any name; a colon would be read as a separator of the key. */
function plain(location: string): string {
  return encodeURIComponent(location)
}
