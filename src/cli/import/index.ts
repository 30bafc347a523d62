/**
 * `watchpost import`: a list of monitors out of what another monitor is configured with.
 *
 * @module
 */

import { writeFile } from 'node:fs/promises'
import { systemClock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import { fromBlackbox } from '../../importers/blackbox/index.ts'
import { fromGatus } from '../../importers/gatus/index.ts'
import type { Imported } from '../../importers/imported.ts'
import { fromKumaDatabase } from '../../importers/kuma/database.ts'
import { fromKuma } from '../../importers/kuma/index.ts'
import { fromBetterStack } from '../../importers/services/better-stack.ts'
import { fromHealthchecks } from '../../importers/services/healthchecks.ts'
import { fromUptimeRobot } from '../../importers/services/uptime-robot.ts'
import { oneLine } from '../check/verdict.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Command, Environment, Flags } from '../command.ts'
import { settingFlags, settingsHelp } from '../environment.ts'
import { readJson, readYaml } from '../read-file.ts'
import { printError, sayJson } from '../terminal.ts'
import { importExport, STORE_SETTINGS } from './watchpost.ts'
import { readSqlite } from './kuma-database.ts'
import { isMariadbUrl, readMariadb } from './kuma-mariadb.ts'

export const command: Command = {
  help: `watchpost import <tool> <file>

Writes a list of monitors for "watchpost apply" to stdout. What could not be carried over is printed on
stderr and listed in the file as not_carried_over; read it before you apply the list.

  watchpost import kuma kuma.db --contacts contacts.json > monitors.json       Uptime Kuma 2
  watchpost import kuma env:KUMA_URL > monitors.json       Uptime Kuma 2 on MariaDB: mariadb://user:…@host/kuma
  watchpost import kuma Uptime_Kuma_Backup.json > monitors.json                Uptime Kuma 1
  watchpost import gatus config.yaml > monitors.json
  watchpost import blackbox blackbox.yml --prometheus prometheus.yml > monitors.json
  watchpost import uptimerobot robot.json > monitors.json                      answer of its API v2 or v3
  watchpost import betterstack monitors.json > list.json                       also of heartbeats
  watchpost import healthchecks checks.json > monitors.json                    answer of its API

  watchpost import watchpost account.jsonl --dry-run                           what "watchpost export" wrote

An export of watchpost is stored directly, in an account without monitors. An interrupted import continues when
it is started again. Stop the server first, unless it uses PostgreSQL. --dry-run only validates.

  --account        Of an export: name or id of the account, created if it is new (the first one)
  --location       Of an export: old=new, its location and the one here that replaces it; repeatable
  --slug           Of an export: old=new, the slug of a public page and its slug here; repeatable
  --dry-run        Of an export: validates and counts
  --prometheus     Configuration of Prometheus, which has the targets of blackbox_exporter
  --contacts       Of a kuma database: writes its notifications as a file for WATCHPOST_CONTACTS
  --history        Of a kuma database: writes the days of every monitor as a file
${settingsHelp(STORE_SETTINGS)}

The list contains the passwords of the imported file. YAML needs the optional package "yaml".
Exit code: 0 written, also where something could not be carried over; 1 it could not be done, 64 a file
that cannot be read, or wrong usage.`,
  options: {
    prometheus: { type: 'string' },
    contacts: { type: 'string' },
    history: { type: 'string' },
    account: { type: 'string' },
    location: { type: 'string', multiple: true },
    slug: { type: 'string', multiple: true },
    'dry-run': { type: 'boolean' },
    ...settingFlags(STORE_SETTINGS),
  },
  words: () => ({
    known: Object.fromEntries([...Object.keys(IMPORTERS), OWN].map((name) => [name, []])),
    files: true,
  }),
  run,
}

interface Wanted {
  readonly prometheus: string | undefined
  readonly contacts: boolean
  readonly history: boolean
}

type Importer = (path: string, wanted: Wanted) => Promise<Imported>

const IMPORTERS: Readonly<Record<string, Importer>> = {
  async kuma(path: string, { contacts, history }: Wanted): Promise<Imported> {
    const read = readerOf(path)
    if (read !== undefined)
      return fromKumaDatabase({ ...(await read(path)), now: systemClock.now(), contacts, history })
    if (contacts || history)
      throw new ConfigurationError(
        '--contacts and --history go with a database of kuma (see --help)',
      )
    return fromKuma(await readJson(path))
  },
  gatus: async (path) => fromGatus(await readYaml(path)),
  blackbox: async (path, { prometheus }) =>
    fromBlackbox({
      blackbox: await readYaml(path),
      ...(prometheus === undefined ? {} : { prometheus: await readYaml(prometheus) }),
    }),
  uptimerobot: async (path) => fromUptimeRobot(await readJson(path)),
  betterstack: async (path) => fromBetterStack(await readJson(path)),
  healthchecks: async (path) => fromHealthchecks(await readJson(path)),
}

function readerOf(path: string): typeof readSqlite | undefined {
  if (isMariadbUrl(path)) return readMariadb
  return /\.(?:db|sqlite3?)$/i.test(path) ? readSqlite : undefined
}

async function run(call: Call): Promise<number> {
  const { flags, words } = call
  const [name = '', path, extra] = words
  if (name === OWN && path !== undefined && extra === undefined) return importOwn(call, path)
  const importer = Object.hasOwn(IMPORTERS, name) ? IMPORTERS[name] : undefined
  if (importer === undefined || path === undefined || extra !== undefined) {
    const names = [...Object.keys(IMPORTERS), OWN].join(', ')
    throw new ConfigurationError(`import takes one of ${names}, and a file (see --help)`)
  }
  const [prometheus, contactsFile, historyFile] = ['prometheus', 'contacts', 'history'].map(
    (flag) => textFlag(flags, flag),
  )
  requireNone(flags, ['account', 'location', 'slug', 'dry-run'], OWN)
  if (prometheus !== undefined && name !== 'blackbox')
    throw new ConfigurationError('--prometheus goes with blackbox (see --help)')
  if ((contactsFile ?? historyFile) !== undefined && name !== 'kuma')
    throw new ConfigurationError('--contacts and --history go with kuma (see --help)')
  const source = name === 'kuma' ? sourceOf(path, call.env) : path
  const { monitors, not_carried_over, contacts, history } = await importer(source, {
    prometheus,
    contacts: contactsFile !== undefined,
    history: historyFile !== undefined,
  })
  if (contactsFile !== undefined) await writeNew(contactsFile, contacts)
  if (historyFile !== undefined) await writeNew(historyFile, history)
  // Names of the file: a line break in one begins no line of its own.
  for (const { of, what } of not_carried_over) printError(oneLine(`${of}: ${what}`))
  printError(`${monitors.length} monitors, ${not_carried_over.length} notes`)
  sayJson({ monitors, not_carried_over }, 2)
  return EXIT.ok
}

/** The address of a database has a password, which all users of the machine could read on a command line. */
function sourceOf(path: string, env: Environment): string {
  const [, variable] = /^env:(.+)$/s.exec(path) ?? []
  if (variable === undefined) return path
  const address = env[variable] ?? ''
  if (isMariadbUrl(address)) return address
  throw new ConfigurationError(`${path}: the variable is not set to mariadb://…`)
}

/** Our own exports. */
const OWN = 'watchpost'

function importOwn(call: Call, path: string): Promise<number> {
  requireNone(call.flags, ['prometheus', 'contacts', 'history'], 'other tools')
  return importExport(call, path)
}

function requireNone(flags: Flags, names: readonly string[], owner: string): void {
  const given = names.find((name) => flags[name] !== undefined)
  if (given === undefined) return
  throw new ConfigurationError(`--${given} goes with ${owner} (see --help)`)
}

/** Secrets may be in it: only its owner reads it, and what is there is never replaced. */
async function writeNew(path: string, content: unknown): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigurationError(`${path}: cannot be written (${code ?? 'unknown'})`, { cause })
  }
}
