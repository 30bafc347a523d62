/**
 * The public pages of one account.
 *
 * @module
 */

import { iso, yielderOf } from '../../clock.ts'
import { ConflictError, ValidationError } from '../../errors.ts'
import type { Stored } from '../../fields/field.ts'
import { merge } from '../../fields/merge.ts'
import { parse } from '../../fields/parse.ts'
import { addProblem, problemAt } from '../../fields/problems.ts'
import { MASK } from '../../fields/secrets.ts'
import type { JsonObject, PageColors, PublicPageRecord, PublicPageSettings } from '../../model.ts'
import type { PublicPageServices, PublicPageView } from '../api/public-pages.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { PUBLIC_PAGE_FIELDS } from '../registry/public-page-fields.ts'
import { pageOptions } from './filters.ts'
import { hashPassword, isPassword } from './page-password.ts'
import type { ServiceContext } from './service-context.ts'
import { quotasOf } from './quotas.ts'
import { readFilter } from './read-filter.ts'
import type { PublishedPages } from './request-services.ts'
import { settingsFrom, versionedRecords } from './versioned-records.ts'

/** Rows per query: a store reads each of them whole in one turn. */
const STEP = 10
/** Characters of one page of the list, which becomes one text. */
const MAX_LISTED_CHARS = 1_000_000

const READ_ONLY = ['id', 'version', 'created_at', 'updated_at']

export function publicPagesOf(context: ServiceContext, account_id: number): PublicPageServices {
  const { core, ready } = context
  const rows = core.store.publicPages
  const records = versionedRecords<PublicPageSettings>(context, account_id, {
    rows,
    resource: 'public_page',
    noun: 'page',
    fields: PUBLIC_PAGE_FIELDS,
    nameOf: ({ title }) => title,
    comparable: ({ password_hash = null, ...settings }) =>
      ({ ...settings, password: password_hash }) as unknown as JsonObject,
  })
  return {
    async create(input) {
      await ready()
      const settings = await validSettings(context, {
        account_id,
        input: settingsFrom(input, READ_ONLY),
      })
      const { public_pages } = await quotasOf(core, account_id)
      return viewOf(await records.create(settings, public_pages))
    },
    get: async (id) => viewOf(await records.own(id)),
    async list(given) {
      const { limit = 50, after = 0 } = readFilter(pageOptions, given)
      await ready()
      const found: PublicPageView[] = []
      let characters = 0
      const yieldIfLong = yielderOf(core.clock)
      for (let after_id = after; ;) {
        const step = await rows.list({ account_id, after_id, limit: STEP }, setAside(core, 'page'))
        for (const record of step) {
          await yieldIfLong()
          const last = found.at(-1)
          if (last !== undefined && (found.length === limit || characters > MAX_LISTED_CHARS))
            return { items: found, next: last.id }
          found.push(viewOf(record))
          characters += JSON.stringify(record.settings).length
        }
        after_id = step.at(-1)?.id ?? after_id
        if (step.length < STEP) return { items: found, next: null }
      }
    },
    async update(id, patch, options) {
      const given = settingsFrom(patch, READ_ONLY)
      const updated = await records.update(id, options, ({ settings: before }) => {
        const { password_hash: _, ...stored } = before
        const kept = 'password' in given ? {} : { password: MASK }
        const input = merge(PUBLIC_PAGE_FIELDS, stored as unknown as JsonObject, {
          ...kept,
          ...given,
        })
        return validSettings(context, { account_id, input, before })
      })
      return viewOf(updated)
    },
    async remove(id, options) {
      await records.remove(id, options)
    },
  }
}

function viewOf({
  id,
  version,
  settings,
  created_at,
  updated_at,
}: PublicPageRecord): PublicPageView {
  const { password_hash, ...shown } = settings
  return {
    id,
    ...shown,
    password: password_hash === undefined ? null : MASK,
    version,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  }
}

interface Wanted {
  readonly account_id: number
  readonly input: JsonObject
  readonly before?: PublicPageSettings
}

/** @throws ValidationError with every problem at once */
async function validSettings(
  context: ServiceContext,
  { account_id, input, before }: Wanted,
): Promise<PublicPageSettings> {
  // A masked password is the stored one.
  const keeps = input['password'] === MASK
  const parsed = parse(PUBLIC_PAGE_FIELDS, keeps ? { ...input, password: null } : input)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const { password } = parsed.value
  const hash = password === undefined ? undefined : await hashInTurn(context, account_id, password)
  const known = new Set(before?.groups.flatMap(({ monitors }) => monitors.map(({ id }) => id)))
  const groups = await ownGroups(context.core, parsed.value.groups, {
    isThere: async (id) => (await context.core.store.monitors.get(id))?.account_id === account_id,
    mayBeGone: (id) => known.has(id),
  })
  return storedPage({ ...parsed.value, groups }, keeps ? before?.password_hash : hash)
}

/** As it is stored: valid values, with the hash of the password. */
export function storedPage(
  { password: _, colors = {}, ...rest }: Stored<typeof PUBLIC_PAGE_FIELDS>,
  password_hash: string | undefined,
): PublicPageSettings {
  return {
    ...rest,
    // After parsing, a colour is either a text or absent.
    colors: { light: (colors.light ?? {}) as PageColors, dark: (colors.dark ?? {}) as PageColors },
    ...(password_hash === undefined ? {} : { password_hash }),
  }
}

/** A hash takes most of a second, and each keeps the page that waits for it in memory. */
const MAX_WAITING_HASHES = 10

/** One password at a time, accounts in turn. @throws ConflictError `busy` */
function hashInTurn(
  { hashing }: ServiceContext,
  account_id: number,
  password: string,
): Promise<string> {
  if (hashing.waiting(account_id) >= MAX_WAITING_HASHES)
    throw new ConflictError('busy', 'Other passwords of this account are set; ask again')
  const { signal } = new AbortController()
  return hashing.run(signal, () => hashPassword(password), account_id)
}

type Groups = PublicPageSettings['groups']

interface Known {
  /** Whether a page of the account may show it. */
  isThere(id: number): boolean | Promise<boolean>
  /** A monitor that was deleted is left out without an error. */
  mayBeGone(id: number): boolean
}

/** The monitors that a page shows, each once. @throws ValidationError */
export async function ownGroups(
  { clock }: Pick<Core, 'clock'>,
  groups: Groups,
  { isThere, mayBeGone }: Known,
): Promise<Groups> {
  const yieldIfLong = yielderOf(clock)
  const problems: Record<string, string> = {}
  const shown = new Set<number>()
  const own: Groups[number][] = []
  for (const [at, group] of groups.entries()) {
    const monitors: (typeof group)['monitors'][number][] = []
    for (const [index, each] of group.monitors.entries()) {
      await yieldIfLong()
      const { id } = each
      const wrong = (problem: string): void =>
        addProblem(problems, 'groups', problemAt([at, 'monitors', index], problem))
      if (!(await isThere(id))) {
        if (!mayBeGone(id)) wrong(`invalid: there is no monitor ${id}`)
      } else if (shown.has(id)) wrong(`invalid: the monitor ${id} is on the page already`)
      else monitors.push(each)
      shown.add(id)
    }
    own.push({ ...group, monitors })
  }
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return own
}

export function publishedPagesOf({ core, ready }: ServiceContext): PublishedPages {
  return {
    async bySlug(slug) {
      await ready()
      return core.store.publicPages.bySlug(slug)
    },
    isPassword: async ({ settings: { password_hash } }, password) =>
      password_hash === undefined || isPassword(password, password_hash),
  }
}
