/**
 * `watchpost import watchpost`: stores what `watchpost export` wrote.
 *
 * @module
 */

import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { builtinCheckers } from '../../checkers/index.ts'
import { builtinContacts } from '../../contacts/index.ts'
import type { AccountScope, Engine } from '../../engine/api/engine.ts'
import type { ImportView } from '../../engine/api/transfer.ts'
import { createEngine } from '../../engine/engine.ts'
import { ConfigurationError, ValidationError, WatchpostError } from '../../errors.ts'
import { findAccount } from '../account.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Flags } from '../command.ts'
import { readSettings } from '../environment.ts'
import { progress } from '../progress.ts'
import { builtinOptions, PROVIDER_SETTINGS } from '../providers.ts'
import { checkSecretKey } from '../serve/keys.ts'
import { storeOf } from '../store.ts'
import { printError, say } from '../terminal.ts'

export const STORE_SETTINGS = [
  'data',
  'database_url',
  'secret_key',
  'export_key',
  'locations',
  'targets',
  ...PROVIDER_SETTINGS,
] as const

export async function importExport(call: Call, path: string): Promise<number> {
  const { flags } = call
  await access(path).catch((cause: unknown) => {
    throw new ConfigurationError(`${path}: there is no such file`, { cause })
  })
  const settings = readSettings(STORE_SETTINGS, call)
  const { store } = storeOf(settings, { guest: settings.database_url !== null })
  await using engine = createEngine({
    store,
    checkers: builtinCheckers(await builtinOptions(settings)),
    contacts: builtinContacts(),
    locations: settings.locations,
    targets: settings.targets,
    ...(settings.secret_key === undefined ? {} : { secretKey: settings.secret_key }),
  })
  const under = progress('opening the store')
  try {
    await engine.open()
    await checkSecretKey(store, settings.secret_key)
    const account = await accountFor(engine, textFlag(flags, 'account'))
    const dryRun = flags['dry-run'] === true
    const view = await account.import(() => createReadStream(path, 'utf8'), {
      dryRun,
      key: settings.export_key,
      locations: locationsOf(flags),
      onProgress: (lines, doing) => under.tell(`${doing}: ${lines} lines`),
    })
    tell(view, dryRun)
    return EXIT.ok
  } catch (error) {
    throw asMistakeOf(path, error)
  } finally {
    under.end()
  }
}

/** A mistyped id does not become an account of that name. */
async function accountFor(engine: Engine, wanted: string | undefined): Promise<AccountScope> {
  const known = await findAccount(engine, wanted)
  if (known !== undefined) return known
  if (wanted === undefined || /^\d+$/.test(wanted))
    throw new WatchpostError('refused', `there is no account ${wanted ?? ''}`)
  return engine.account((await engine.accounts.create({ name: wanted })).id)
}

/** `--location old=new`, again and again. */
function locationsOf(flags: Flags): Record<string, string> {
  const given = flags['location']
  const pairs = Array.isArray(given) ? given : []
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, from, to] = /^([^=]+)=(.+)$/.exec(String(pair)) ?? []
      if (from === undefined || to === undefined)
        throw new ConfigurationError('--location: old=new is expected, names of locations')
      return [from, to]
    }),
  )
}

function tell(view: ImportView, dryRun: boolean): void {
  const { monitors, contacts, incidents, results, days, missing_secrets } = view
  const done = dryRun ? 'would be stored' : 'stored'
  say(`${monitors} monitors, ${contacts} new contacts ${done}`)
  if (results + incidents + days > 0)
    say(`${incidents} incidents, ${days} days, ${results} results ${done}`)
  if (view.old_results > 0)
    printError(`${view.old_results} results are older than those that are kept`)
  if (view.new_tokens > 0) printError(`${view.new_tokens} heartbeats have new addresses`)
  if (view.over_quota > 0) printError(`${view.over_quota} monitors stay paused: checks a minute`)
  for (const { monitor_id, name, fields } of missing_secrets)
    printError(
      `monitor ${monitor_id} "${name}" stays paused until it is given ${fields.join(', ')}`,
    )
  const more = view.without_secrets - missing_secrets.length
  if (more > 0) printError(`and ${more} more`)
}

function asMistakeOf(path: string, error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error
  const problems = Object.entries(error.fields).map(([place, text]) => `${place}: ${text}`)
  return new ConfigurationError(`${path}: ${problems.join('\n  ')}`, { cause: error })
}
