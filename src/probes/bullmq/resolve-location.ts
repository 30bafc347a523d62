/**
 * Resolves the location of a probe. Engines publish theirs, so that an id can replace a name and a misspelled name is
 * reported.
 *
 * @module
 */

import { ClosedError, ConfigurationError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { readEngines } from './presence.ts'
import type { Beating } from './presence.ts'

/** @throws ClosedError while no engine has this id, ConfigurationError if two engines have different locations with it */
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
