/**
 * `watchpost probe`: runs the checks of one location, ordered over Redis.
 *
 * @module
 */

import { createProbe } from '../bullmq.ts'
import { builtinCheckers } from '../checkers/index.ts'
import { systemClock } from '../clock.ts'
import { ConfigurationError } from '../errors.ts'
import { EXIT, textFlag } from './command.ts'
import type { Call, Command } from './command.ts'
import { readSettings, settingFlags, settingsHelp } from './environment.ts'
import { builtinOptions, PROVIDER_SETTINGS } from './providers.ts'
import { lineLogger } from './logger.ts'
import { stopSignal } from './stop-signal.ts'
import { say } from './terminal.ts'

const SETTINGS = [
  'redis_url',
  'secret_key',
  'targets',
  'anchors',
  ...PROVIDER_SETTINGS,
  'log_level',
] as const

export const command: Command = {
  help: `watchpost probe --location <name>

Runs the checks of one location, as ordered by the engines on the same Redis.

  REDIS_URL=redis://:password@redis.example.com WATCHPOST_SECRET_KEY=$KEY watchpost probe --location fra

It needs only Redis: no port and no data file. SIGTERM ends it after the running checks.

  --location        Name of the location, as in WATCHPOST_LOCATIONS of serve; digits are its id
${settingsHelp(SETTINGS)}

REDIS_URL and WATCHPOST_SECRET_KEY have to be those of serve. Several probes may share a location.
Exit code: 0 stopped by a signal, 1 it could not be done, 64 wrong usage.`,
  options: { location: { type: 'string' }, ...settingFlags(SETTINGS) },
  run,
}

async function run({ flags, words, env }: Call): Promise<number> {
  const [stranger] = words
  if (stranger !== undefined)
    throw new ConfigurationError(`probe takes no "${stranger}" (see --help)`)
  const location = locationOf(textFlag(flags, 'location'))
  const settings = readSettings(SETTINGS, { flags, env })
  const { redis_url, secret_key, targets, anchors, log_level } = settings
  if (redis_url === undefined)
    throw new ConfigurationError('REDIS_URL: the Redis of serve is expected')
  if (secret_key === undefined)
    throw new ConfigurationError('WATCHPOST_SECRET_KEY: the same key as that of serve is expected')
  const log = lineLogger(log_level)
  const signal = stopSignal(systemClock)
  const probe = createProbe({
    location,
    connection: redis_url,
    secretKey: secret_key,
    // The engines decide which types they order.
    checkers: builtinCheckers({ ...(await builtinOptions(settings)), extra: true }),
    targets,
    anchors,
    logger: log,
  })
  try {
    await probe.start()
    say(`Probe ${probe.id} of ${location}: ${probe.status().connected ? 'at work' : 'waiting'}`)
    log.info({ signal: await signal }, 'stopping: what runs may end')
  } finally {
    await probe.stop()
  }
  log.info({}, 'stopped')
  return EXIT.ok
}

function locationOf(text: string | undefined): string | number {
  if (text === undefined || text === '')
    throw new ConfigurationError('--location: the name of a location is expected (see --help)')
  return /^\d+$/.test(text) ? Number(text) : text
}
