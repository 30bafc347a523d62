/**
 * `watchpost apply`: brings the stored monitors to the state of a file.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import { ConfigurationError, isWatchpostError, WatchpostError } from '../../errors.ts'
import { describePlan, isEmptyPlan } from '../../monitors/plan.ts'
import type { SyncPlan } from '../../monitors/plan.ts'
import { syncMonitors } from '../../monitors/sync.ts'
import type { SyncOptions } from '../../monitors/sync.ts'
import { memoryStore } from '../../store/memory.ts'
import type { Store } from '../../store/store.ts'
import { BY } from '../account.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Command } from '../command.ts'
import { ENGINE_SETTINGS, openedEngine } from '../engine.ts'
import { readSettings, settingFlags, settingsHelp } from '../environment.ts'
import type { SettingValues } from '../environment.ts'
import { monitorDefaultsOf } from '../monitor-defaults.ts'
import { progress } from '../progress.ts'
import { storeOf } from '../store.ts'
import { say } from '../terminal.ts'
import { asMistakeOf, readList } from './list.ts'

const SETTINGS = [...ENGINE_SETTINGS, 'targets', 'monitor_defaults'] as const
const FATES = ['leave', 'pause', 'remove'] as const

export const command: Command = {
  help: `watchpost apply <file> [--dry-run] [--unlisted leave|pause|remove]

Creates and updates monitors from a list in a file: JSON, or a module whose default export is
defineMonitors([…]) of watchpost/monitors, or { monitors: […], maintenance: […] }. Monitors are matched by
key; a second run changes nothing. A list with a problem changes nothing, and every problem is printed.

  watchpost apply monitors.json --dry-run     what would change
  watchpost apply monitors.mjs
  watchpost apply monitors.mjs --unlisted remove

  --dry-run        Only print what would change
  --unlisted       What to do with monitors of an earlier list that are no longer in it (leave)
${settingsHelp(SETTINGS)}

Use the same settings as serve. With PostgreSQL it works beside a running server. A data file belongs to its
server: stop the server first, or give it the list as WATCHPOST_MONITORS, which it applies at every start.

Exit code: 0 done, 1 it could not be done, 2 --dry-run found changes, 64 a mistake in the list or the call.`,
  options: {
    'dry-run': { type: 'boolean' },
    unlisted: { type: 'string' },
    ...settingFlags(SETTINGS),
  },
  words: () => ({ files: true }),
  run,
}

async function run(call: Call): Promise<number> {
  const { words, flags } = call
  const [path, stranger] = words
  if (path === undefined || stranger !== undefined) {
    throw new ConfigurationError('apply takes one file (see --help)')
  }
  const options: SyncOptions = {
    unlisted: fateOf(textFlag(flags, 'unlisted')),
    dryRun: flags['dry-run'] === true,
  }
  const plan = await apply(call, path, options)
  for (const line of describePlan(plan)) say(line)
  return options.dryRun === true && !isEmptyPlan(plan) ? EXIT.failing : EXIT.ok
}

async function apply(call: Call, path: string, options: SyncOptions): Promise<SyncPlan> {
  const { monitors, maintenance } = await readList(path)
  const settings = readSettings(SETTINGS, call)
  const store = storeFor(settings, options.dryRun === true)
  const shown = progress('opening the store')
  try {
    const { targets } = settings
    const monitorDefaults = await monitorDefaultsOf(settings)
    await using engine = await openedEngine(store, settings, { targets, monitorDefaults }).catch(
      (error: unknown) => {
        throw withAdvice(error)
      },
    )
    shown.update(`checking ${monitors.length} monitors`)
    const onProgress = (done: number, all: number): void =>
      shown.update(`${done} of ${all} changes`)
    const how = { ...options, ...BY, maintenance, onProgress }
    return await syncMonitors(engine, monitors as never, how)
  } catch (error) {
    throw asMistakeOf(path, error)
  } finally {
    shown.end()
  }
}

/** A dry run may open the store as a guest and creates no file; changes need exclusive access. */
function storeFor(settings: SettingValues<'data' | 'database_url'>, looking: boolean): Store {
  const isFile = settings.database_url === null
  if (looking && isFile && !existsSync(settings.data)) return memoryStore()
  return storeOf(settings, { guest: looking || !isFile }).store
}

function withAdvice(error: unknown): unknown {
  if (!isWatchpostError(error) || error.code !== 'storage') return error
  const advice = 'where a server runs on it, stop that, or give it the list as WATCHPOST_MONITORS'
  return new WatchpostError(error.code, `${error.message} (${advice})`, { cause: error })
}

function fateOf(text: string | undefined): NonNullable<SyncOptions['unlisted']> {
  const fate = FATES.find((each) => each === (text ?? 'leave'))
  if (fate !== undefined) return fate
  throw new ConfigurationError(`--unlisted: ${FATES.join(', ')} are known, not "${text ?? ''}"`)
}
