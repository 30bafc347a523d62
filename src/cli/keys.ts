/**
 * `watchpost keys`: creates and revokes API keys, for users with write access to the data file.
 *
 * @module
 */

import { existsSync } from 'node:fs'
import type { Engine } from '../engine/api/engine.ts'
import { createEngine } from '../engine/engine.ts'
import type { KeyView } from '../engine/api/views.ts'
import type { AccountView } from '../engine/api/accounts.ts'
import type { KeyScope } from '../model.ts'
import { KEY_SCOPES } from '../model/scopes.ts'
import { quoted, suggestion } from '../options.ts'
import { ConfigurationError, WatchpostError } from '../errors.ts'
import { accountFor, allAccounts, BY } from './account.ts'
import { EXIT, textFlag } from './command.ts'
import type { Call, Command, Flags } from './command.ts'
import { readSettings, settingFlags, settingsHelp } from './environment.ts'
import { storeOf } from './store.ts'
import { say, table } from './terminal.ts'

const SETTINGS = ['data', 'database_url'] as const

export const command: Command = {
  help: `watchpost keys create [--name n] [--account a] [--read-only | --scopes s,…]
watchpost keys list
watchpost keys revoke <id|prefix>

API keys in the data file, also beside a running server (on Node >= 22.13), or in PostgreSQL.

  watchpost keys create --name ci              the last line is the key alone
  watchpost keys create --account customer-7   creates the account if it is new
  watchpost keys create --read-only            a key that cannot change anything
  watchpost keys revoke svc_4fTz

  --name           How the key is listed (default)
  --account        Name or id of the account (the first one)
  --read-only      The key may only read, as with --scopes read
  --scopes         What the key may do, separated by commas (everything): read, write, or
                   ${KEY_SCOPES.slice(2, 6).join(', ')},
                   ${KEY_SCOPES.slice(6, 9).join(', ')},
                   ${KEY_SCOPES.slice(9, 12).join(', ')},
                   ${KEY_SCOPES.slice(12).join(', ')}
${settingsHelp(SETTINGS)}

Exit code: 0 done, 1 it could not be done, 64 wrong usage.`,
  options: {
    name: { type: 'string' },
    account: { type: 'string' },
    'read-only': { type: 'boolean' },
    scopes: { type: 'string' },
    ...settingFlags(SETTINGS),
  },
  words: () => ({ known: { create: [], list: [], revoke: [] } }),
  run,
}

type Action = (engine: Engine, call: Call) => Promise<void>
const ACTIONS: Readonly<Record<string, Action>> = { create, list, revoke }

async function run(call: Call): Promise<number> {
  const settings = readSettings(SETTINGS, call)
  const [name = ''] = call.words
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (action === undefined) {
    throw new ConfigurationError('keys create, keys list or keys revoke is expected (see --help)')
  }
  if (call.words.length !== (action === revoke ? 2 : 1) || call.words[1] === '') {
    throw new ConfigurationError(
      action === revoke
        ? 'keys revoke takes the id or the prefix of one key (see keys list)'
        : `keys ${name} takes flags only, but was given "${call.words[1] ?? ''}"`,
    )
  }
  const { data, database_url } = settings
  if (action !== create && database_url === null && !existsSync(data)) {
    throw refusal(`there is no data file ${data}; it is made by serve, or by keys create`)
  }
  const { store } = storeOf(settings, { guest: true })
  await using engine = createEngine({ store, checkers: [] })
  await engine.open()
  await action(engine, call)
  return EXIT.ok
}

async function create(engine: Engine, { flags }: Call): Promise<void> {
  const scopes = scopesOf(flags)
  const scope = await accountFor(engine, textFlag(flags, 'account'))
  const name = textFlag(flags, 'name')
  const { key, view } = await scope.keys.create({ name, scopes })
  say(`Key ${view.id} "${view.name}" of account ${view.account_id}; it is shown this once:`)
  say(key)
}

/** Validated before an account is made for the key. */
function scopesOf(flags: Flags): KeyScope[] | undefined {
  const given = textFlag(flags, 'scopes')
  if (given !== undefined && flags['read-only'] === true)
    throw new ConfigurationError('--read-only and --scopes exclude each other')
  if (given === undefined) return flags['read-only'] === true ? ['read'] : undefined
  return given.split(',').map((text) => {
    const scope = KEY_SCOPES.find((known) => known === text.trim())
    if (scope !== undefined) return scope
    throw new ConfigurationError(
      `--scopes: ${quoted(text.trim())} is no scope; ${suggestion(text.trim(), KEY_SCOPES)}`,
    )
  })
}

async function list(engine: Engine): Promise<void> {
  const rows = (await everyKey(engine)).map(({ account, key }) => [
    String(key.id),
    `${account.id} ${account.name}`,
    key.name,
    `${key.prefix}…`,
    key.scopes.join(','),
    key.created_at,
    key.last_used_at ?? 'never',
    key.revoked_at === null ? '' : `revoked ${key.revoked_at}`,
  ])
  const head = ['ID', 'ACCOUNT', 'NAME', 'KEY', 'SCOPES', 'CREATED', 'LAST USED', '']
  for (const line of table([head, ...rows])) say(line)
}

async function revoke(engine: Engine, { words }: Call): Promise<void> {
  const wanted = words[1] ?? ''
  const keys = await everyKey(engine)
  const byId = keys.filter(({ key }) => String(key.id) === wanted)
  const whole = (await engine.authenticate(wanted))?.key.id
  const begun = keys.filter(
    ({ key: { id, prefix, revoked_at } }) =>
      id === whole || (revoked_at === null && prefix.startsWith(wanted)),
  )
  const found = byId.length > 0 ? byId : begun
  const [only] = found
  if (only === undefined) throw refusal(`there is no such key (see keys list)`)
  if (found.length > 1) {
    const ids = found.map(({ key }) => key.id).join(', ')
    throw refusal(`"${wanted}" is the beginning of several keys: revoke one by its id (${ids})`)
  }
  await engine.account(only.account.id, BY).keys.revoke(only.key.id)
  say(`Key ${only.key.id} "${only.key.name}" is revoked.`)
}

interface Owned {
  readonly account: AccountView
  readonly key: KeyView
}

async function everyKey(engine: Engine): Promise<Owned[]> {
  const owned = await Promise.all(
    (await allAccounts(engine)).map(async (account) =>
      (await engine.account(account.id).keys.list()).map((key) => ({ account, key })),
    ),
  )
  return owned.flat()
}

function refusal(message: string): WatchpostError {
  return new WatchpostError('refused', message)
}
