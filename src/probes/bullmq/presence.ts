/**
 * Presence of engines and probes. Each writes a key that expires with every beat; each side reads the other's keys,
 * and measures the offset of its clock from that of Redis.
 *
 * @module
 */

import type { ChainableCommander, Redis } from 'ioredis'
import type { Clock } from '../../clock.ts'
import type { JsonObject, LocationRecord } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import type { Names } from './options.ts'
import { ClosedError, ConfigurationError } from '../../errors.ts'
import { MAX_MARKS, parseBounded } from './bounded-json.ts'
import type { Logger } from '../../logger.ts'

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
/** Far more than a beat has, with all locations of its engine. */
const BEAT_CHARS = 256 * 1024
const SHORT_BEAT_CHARS = 4096
/** Of a location, in one turn: anybody who writes to Redis may have named thousands. */
const PROBES_AT_ONCE = 100
/** Of what is on Redis, a line of the log repeats little: anybody may have written it. */
const PROBES_LOGGED = 20
const ID_CHARS_LOGGED = 100

export interface Measured {
  /** Redis' clock minus the local clock, in ms. */
  readonly offset_ms: number
}

export interface Beating {
  readonly redis: Redis
  readonly names: Names
  readonly clock: Clock
  readonly beatMs: number
}

export async function sayProbe(
  { redis, names, clock, beatMs }: Beating,
  location: string,
  beat: ProbeBeat,
): Promise<Measured> {
  const set = names.probes(location)
  const said = redis
    .multi()
    .set(names.probe(location, beat.id), JSON.stringify(beat), 'PX', Math.round(beatMs * LASTS))
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
  { redis, names, clock, beatMs }: Beating,
  id: string,
  beat: EngineBeat,
): Promise<Measured> {
  const said = redis
    .multi()
    .set(names.engine(id), JSON.stringify(beat), 'PX', Math.round(beatMs * LASTS))
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

async function readEngines({ redis, names }: Beating): Promise<readonly EngineBeat[]> {
  const ids = await redis.zrevrange(names.engines, 0, ENGINES_READ - 1)
  if (ids.length === 0) return []
  return parsed<EngineBeat>(await redis.mget(ids.map((id) => names.engine(id))), isEngineBeat)
}

/** The probes of each location, without those whose key expired. */
export async function readProbes(
  { redis, names }: Beating,
  locations: readonly string[],
): Promise<ReadonlyMap<string, readonly ProbeBeat[]>> {
  const found = await Promise.all(
    locations.map(async (location): Promise<[string, readonly ProbeBeat[]]> => {
      const ids = await redis.smembers(names.probes(location))
      const found: ProbeBeat[] = []
      for (let from = 0; from < ids.length; from += PROBES_AT_ONCE) {
        const some = ids.slice(from, from + PROBES_AT_ONCE)
        const beats = await redis.mget(some.map((id) => names.probe(location, id)))
        const gone = some.filter((_, index) => beats[index] === null)
        if (gone.length > 0) await redis.srem(names.probes(location), gone)
        found.push(...parsed<ProbeBeat>(beats, isProbeBeat))
      }
      return [location, found]
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

/** Ignores texts that are no beats: one of them must not hide the others. */
function parsed<T>(texts: readonly (string | null)[], fits: (value: JsonObject) => boolean): T[] {
  const budget = { marks: MAX_MARKS }
  // Those of probes are short, and a long one of a stranger takes nothing from them.
  const parse = (text: string): unknown =>
    text.length <= SHORT_BEAT_CHARS ? JSON.parse(text) : parseBounded(text, budget)
  return texts.flatMap((text) => {
    try {
      const value: unknown = text === null || text.length > BEAT_CHARS ? null : parse(text)
      return isJsonObject(value) && fits(value) ? [value as T] : []
    } catch {
      return []
    }
  })
}

function isProbeBeat({ id, connected, leaving }: JsonObject): boolean {
  return [typeof id, typeof connected, typeof leaving].join() === 'string,boolean,boolean'
}

function isEngineBeat({ locations }: JsonObject): boolean {
  const isLocation = (each: unknown): boolean =>
    isJsonObject(each) && typeof each['id'] === 'number' && typeof each['name'] === 'string'
  return Array.isArray(locations) && locations.every(isLocation)
}

/**
 * Resolves the location of a probe. Engines publish theirs, so that an id can replace a name and a misspelled name is
 * reported.
 *
 * @throws ClosedError while no engine has this id,
 * ConfigurationError if two engines have different locations with it
 */
export async function nameOfLocation(
  beating: Beating,
  location: string | number,
  log: Logger,
): Promise<string> {
  const known = (await readEngines(beating)).flatMap(({ locations }) => locations)
  const names = [...new Set(known.map(({ name }) => name))]
  if (typeof location === 'string') {
    if (names.length > 0 && !names.includes(location))
      log.warn({ location, known: names }, 'no engine on this Redis has this location')
    return location
  }
  const meant = [...new Set(known.filter(({ id }) => id === location).map(({ name }) => name))]
  const [name, ...others] = meant
  if (name === undefined)
    throw new ClosedError(`No engine at work on this Redis has a location ${location}`)
  if (others.length > 0)
    throw new ConfigurationError(
      `The location ${location} is ${meant.join(' for one engine, ')} for another: give the name`,
    )
  return name
}

/** Which locations have a probe, as of the engine's last beat. */
interface ProbePresence {
  /** Stores the probes that a beat found. */
  note(found: ReadonlyMap<string, readonly ProbeBeat[]>): void
  /** Whether a probe accepts orders and has a network. */
  online(location: string): boolean
  /** Whether a probe is alive, even if it only finishes its orders. */
  present(location: string): boolean
}

export function createProbePresence(log: Logger): ProbePresence {
  let seen: ReadonlyMap<string, readonly ProbeBeat[]> = new Map()
  const wasOnline = new Map<string, boolean>()

  const online = (location: string): boolean =>
    seen.get(location)?.some(({ connected, leaving }) => connected && !leaving) === true

  return {
    note(found) {
      seen = found
      for (const [location, probes] of found) {
        const now = online(location)
        if (wasOnline.get(location) === now) continue
        wasOnline.set(location, now)
        const ids = probes.slice(0, PROBES_LOGGED).map(({ id }) => id.slice(0, ID_CHARS_LOGGED))
        const about = { location, probes: ids }
        if (now) log.info(about, 'a location is there')
        else log.warn(about, 'a location has no probe that could check')
      }
    },
    online,
    present: (location) => (seen.get(location)?.length ?? 0) > 0,
  }
}
