/**
 * Presence of engines and probes. Each writes a key that expires with every beat; each side reads the other's keys,
 * and measures the offset of its clock from that of Redis.
 *
 * @module
 */

import type { ChainableCommander, Redis } from 'ioredis'
import type { Clock } from '../../clock.ts'
import type { LocationRecord } from '../../model.ts'
import type { Names } from './names.ts'

/** The beat of a probe. */
export interface ProbeBeat {
  readonly id: string
  readonly version: string
  /** ISO 8601. */
  readonly started_at: string
  /** Orders being executed or waiting. */
  readonly running: number
  /** Whether the probe has a network. */
  readonly connected: boolean
  /** It accepts no more orders, and ends when its orders are done. */
  readonly leaving: boolean
}

/** The beat of an engine. */
export interface EngineBeat {
  readonly version: string
  readonly locations: readonly LocationRecord[]
}

/** A key expires after two and a half beats, so that one beat may be lost. */
export const LASTS = 2.5
/** Sets of names are kept a day longer than their members. */
const SET_SECONDS = 86_400
const ENGINES_READ = 100

export interface Measured {
  /** Redis' clock minus the local clock, in ms. */
  readonly offset_ms: number
}

export interface Beating {
  readonly redis: Redis
  readonly names: Names
  readonly clock: Clock
  readonly beat_ms: number
}

export async function sayProbe(
  { redis, names, clock, beat_ms }: Beating,
  location: string,
  beat: ProbeBeat,
): Promise<Measured> {
  const set = names.probes(location)
  const said = redis
    .multi()
    .set(names.probe(location, beat.id), JSON.stringify(beat), 'PX', Math.round(beat_ms * LASTS))
    .sadd(set, beat.id)
    .expire(set, SET_SECONDS)
  return timed(said, clock)
}

export async function unsayProbe(
  { redis, names }: Beating,
  location: string,
  id: string,
): Promise<void> {
  await redis.multi().del(names.probe(location, id)).srem(names.probes(location), id).exec()
}

export async function sayEngine(
  { redis, names, clock, beat_ms }: Beating,
  id: string,
  beat: EngineBeat,
): Promise<Measured> {
  const said = redis
    .multi()
    .set(names.engine(id), JSON.stringify(beat), 'PX', Math.round(beat_ms * LASTS))
    .zadd(names.engines, await redisNow(redis), id)
  return timed(said, clock)
}

/** The name stays in the list: answers may still arrive, and the cleanup needs the name. */
export async function unsayEngine({ redis, names }: Beating, id: string): Promise<void> {
  await redis.del(names.engine(id))
}

/** Engines whose last beat is older than `older_ms`: they will not fetch their answers. */
export async function deadEngines(
  { redis, names }: Beating,
  older_ms: number,
): Promise<readonly string[]> {
  const before = (await redisNow(redis)) - older_ms
  return redis.zrangebyscore(names.engines, '-inf', before, 'LIMIT', 0, ENGINES_READ)
}

export async function forgetEngine({ redis, names }: Beating, id: string): Promise<void> {
  await redis.zrem(names.engines, id)
}

export async function readEngines({ redis, names }: Beating): Promise<readonly EngineBeat[]> {
  const ids = await redis.zrevrange(names.engines, 0, ENGINES_READ - 1)
  if (ids.length === 0) return []
  return parsed<EngineBeat>(await redis.mget(ids.map((id) => names.engine(id))))
}

/** The probes of each location, without those whose key expired. */
export async function readProbes(
  { redis, names }: Beating,
  locations: readonly string[],
): Promise<ReadonlyMap<string, readonly ProbeBeat[]>> {
  const found = await Promise.all(
    locations.map(async (location): Promise<[string, readonly ProbeBeat[]]> => {
      const ids = await redis.smembers(names.probes(location))
      if (ids.length === 0) return [location, []]
      const beats = await redis.mget(ids.map((id) => names.probe(location, id)))
      const gone = ids.filter((_, index) => beats[index] === null)
      if (gone.length > 0) await redis.srem(names.probes(location), gone)
      return [location, parsed<ProbeBeat>(beats)]
    }),
  )
  return new Map(found)
}

/** Executes the commands together with `TIME`. */
async function timed(commands: ChainableCommander, clock: Clock): Promise<Measured> {
  const from = clock.now()
  const results = (await commands.time().exec()) ?? []
  const halfway = (from + clock.now()) / 2
  const failed = results.find(([error]) => error !== null)
  if (failed?.[0] != null) throw failed[0]
  return { offset_ms: Math.round(inMs(results.at(-1)?.[1]) - halfway) }
}

async function redisNow(redis: Redis): Promise<number> {
  return inMs(await redis.time())
}

/** The result of `TIME`: seconds and microseconds. */
function inMs(answer: unknown): number {
  const [seconds, micros] = answer as readonly (string | number)[]
  return Number(seconds) * 1000 + Number(micros) / 1000
}

/** Ignores texts that are not valid JSON. */
function parsed<T>(texts: readonly (string | null)[]): T[] {
  return texts.flatMap((text) => {
    if (text === null) return []
    try {
      return [JSON.parse(text) as T]
    } catch {
      return []
    }
  })
}
