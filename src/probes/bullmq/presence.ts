/**
 * Who is there. Engines and probes say so with every beat, by a key that goes away by itself; each side
 * reads what the other says, and how far its own clock is from that of Redis.
 *
 * @module
 */

import type { ChainableCommander, Redis } from 'ioredis'
import type { Clock } from '../../clock.ts'
import type { LocationRecord } from '../../model.ts'
import type { Names } from './names.ts'

/** What a probe says of itself. */
export interface ProbeBeat {
  readonly id: string
  readonly version: string
  /** ISO 8601. */
  readonly started_at: string
  /** Orders it holds. */
  readonly running: number
  /** Whether it reaches what it is to check from. */
  readonly connected: boolean
  /** It takes no more orders, and ends when those it has are done. */
  readonly leaving: boolean
}

/** What an engine says of itself. */
export interface EngineBeat {
  readonly version: string
  readonly locations: readonly LocationRecord[]
}

/** A beat lasts for two and a half: one may be lost on the way. */
export const LASTS = 2.5
/** Sets of names outlive their members by a day, and are then gone as well. */
const SET_SECONDS = 86_400
const ENGINES_READ = 100

export interface Measured {
  /** Redis' clock minus ours, in ms. */
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

/** Its name stays in the list: answers may still come, and whoever clears up has to know of them. */
export async function unsayEngine({ redis, names }: Beating, id: string): Promise<void> {
  await redis.del(names.engine(id))
}

/** Engines whose last beat is older than `older_ms`: their answers will never be fetched. */
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

/** The probes of each location, those that went away without a word left out. */
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

/** Carries out the commands and asks the time along with them. */
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

/** The answer to `TIME`: seconds and microseconds. */
function inMs(answer: unknown): number {
  const [seconds, micros] = answer as readonly (string | number)[]
  return Number(seconds) * 1000 + Number(micros) / 1000
}

/** What is not JSON of ours is left out. */
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
