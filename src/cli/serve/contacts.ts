/**
 * The contacts file: since the REST API only lists contacts, this is where an operator writes them.
 *
 * @module
 */

import { readFile, stat } from 'node:fs/promises'
import type { AccountScope, Engine } from '../../engine/api/engine.ts'
import type { ContactInput } from '../../engine/api/inputs.ts'
import { createEngine } from '../../engine/engine.ts'
import { ConfigurationError, NotFoundError, ValidationError } from '../../errors.ts'
import { memoryStore } from '../../store/memory.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import { isJsonObject } from '../../model/json.ts'
import { ALLOW_HINT } from '../engine.ts'

type Scope = Pick<AccountScope, 'contacts'>

const FILE_LIMIT_BYTES = 4 * 1024 * 1024

/**
 * The entries of the file, all of them valid: nothing is changed for a file with a mistake in it.
 *
 * @throws ConfigurationError that names file, entry and field
 */
export async function readContacts(
  path: string | undefined,
  kinds: readonly AnyContactKind[],
): Promise<readonly ContactInput[]> {
  if (path === undefined) return []
  const wrong = (problem: string) =>
    new ConfigurationError(`WATCHPOST_CONTACTS: ${path}: ${problem}`)
  const list = await parseFile(path, wrong)
  if (!Array.isArray(list)) throw wrong('an array of contacts is expected')
  // The same rules as for any contact, on an engine that is thrown away.
  const rehearsal = createEngine({ store: memoryStore(), checkers: [], contacts: kinds })
  const names = new Map<unknown, number>()
  for (const [index, entry] of (list as unknown[]).entries()) {
    const place = `entry ${index + 1}`
    if (!isJsonObject(entry)) throw wrong(`${place}: an object is expected`)
    const name = typeof entry.name === 'string' ? entry.name.trim() : entry.name
    if (name === undefined || name === null) throw wrong(`${place}: name: required`)
    const earlier = names.get(name)
    if (earlier !== undefined) throw wrong(`${place}: name: the same as in entry ${earlier}`)
    names.set(name, index + 1)
    const problem = await problemOf(rehearsal, entry as ContactInput)
    if (problem !== undefined) throw wrong(`${place} (${JSON.stringify(name)}): ${problem}`)
  }
  return list as ContactInput[]
}

/** Creates or updates by name; contacts that the file does not name are left alone. */
export async function syncContacts(engine: Scope, entries: readonly ContactInput[]): Promise<void> {
  const latestFirst = (await engine.contacts.list()).toSorted((a, b) => b.id - a.id)
  // Of several with one name the first made: another server that starts now may be removing the others.
  const known = new Map(latestFirst.map((contact) => [contact.name, contact]))
  for (const entry of entries) {
    const contact = known.get(entry.name.trim())
    if (contact === undefined) {
      await createOnce(engine, entry)
      continue
    }
    // A setting that the file does not have is reset to its default.
    const absent = [
      ...Object.keys(contact.settings),
      'all_monitors',
      'quiet',
      'group_window_sec',
      'events',
    ].map((name) => [name, null])
    await engine.contacts.update(contact.id, { ...Object.fromEntries(absent), ...entry } as never)
  }
}

/** Servers that start together on one database may all find it missing: of what they make, the first one stays. */
async function createOnce(engine: Scope, entry: ContactInput): Promise<void> {
  const { name } = await engine.contacts.create(entry)
  const twins = (await engine.contacts.list()).filter((contact) => contact.name === name)
  const [, ...others] = twins.toSorted((a, b) => a.id - b.id)
  for (const { id } of others) {
    // Another server clears up as well.
    await engine.contacts.remove(id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error
    })
  }
}

async function parseFile(
  path: string,
  wrong: (problem: string) => ConfigurationError,
): Promise<unknown> {
  let text: string
  try {
    const { size } = await stat(path)
    if (size > FILE_LIMIT_BYTES) throw new Error(`more than ${FILE_LIMIT_BYTES} bytes`)
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw wrong(`cannot be read: ${messageOf(error)}`)
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // Node repeats a piece of the text, which may hold a secret.
    const place = /(?:line \d+ column \d+|position \d+)/.exec(messageOf(error))?.[0]
    throw wrong(`is not valid JSON${place === undefined ? '' : ` at ${place}`}`)
  }
}

async function problemOf(rehearsal: Engine, entry: ContactInput): Promise<string | undefined> {
  try {
    await rehearsal.contacts.create(entry)
    return undefined
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const problems = Object.entries(error.fields).map(([field, text]) => `${field}: ${text}`)
    const hint = /private_address/.test(problems.join()) ? ALLOW_HINT : ''
    return problems.join('; ') + hint
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
