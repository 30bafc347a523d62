/**
 * Contacts and monitors of an export, validated as if a user had written them.
 *
 * @module
 */

import {
  ConfigurationError,
  NotFoundError,
  UnreadableError,
  ValidationError,
} from '../../errors.ts'
import type { FieldTable } from '../../fields/field.ts'
import { mapSecrets, MASK } from '../../fields/secrets.ts'
import type { JsonObject } from '../../model.ts'
import { isSealed } from '../../seal.ts'
import type { Seal } from '../../seal.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import type { Core } from '../core/core.ts'
import { hashOf } from '../core/tokens.ts'
import { isInstalled } from '../../optional-packages.ts'
import { unknownType } from '../registry/registry.ts'
import type { MonitorType, ParsedMonitor } from '../registry/registry.ts'
import { parseContact } from '../services/contacts.ts'
import type { ParsedContact } from '../services/contacts.ts'
import { isTooShort } from '../services/quotas.ts'
import type { ResolvedQuotas } from '../services/quotas.ts'
import type { LineOf } from './lines.ts'
import { digestOf, placeOf } from './place.ts'

/** What the lines of one export are read with. */
export interface Reader {
  readonly core: Core
  readonly export_id: string
  /** When the export began. */
  readonly at: number
  readonly seal: Seal | undefined
  readonly quotas: ResolvedQuotas
  /** Ids of locations: of the export to this engine. Absent are those that this engine does not have. */
  readonly locations: ReadonlyMap<number, number>
  /** Slugs of public pages that are others here. */
  readonly slugs: ReadonlyMap<string, string>
  /** Locations that this engine checks from. */
  readonly checking: ReadonlySet<number>
}

export interface ReadContact {
  readonly id: number
  readonly kind: AnyContactKind
  readonly name: string
  /** `undefined` where its secrets are left out. */
  readonly parsed: ParsedContact | undefined
}

export interface ReadMonitor {
  readonly id: number
  readonly type: MonitorType
  readonly common: ParsedMonitor['common'] & {
    readonly name: string
    readonly location_ids: readonly number[]
    readonly confirm_locations: number
  }
  readonly settings: JsonObject
  readonly target: string
  /** Fields whose secrets are left out. */
  readonly missing: readonly string[]
  readonly token: string | undefined
  readonly paused: boolean
  readonly created_at: number
}

/** @throws ValidationError */
export async function readContact(
  reader: Reader,
  { id, kind: name, settings, proof }: LineOf<'contact'>,
): Promise<ReadContact> {
  const kind = reader.core.contactKinds.get(name)
  if (kind === undefined)
    throw new ValidationError({ kind: `invalid: this engine has no contacts of this kind` })
  requireUnchanged(reader, kind.fields, { id, kind: name, settings, proof, what: 'contact' })
  const { opened, missing } = open(reader, kind.fields, settings, `contact.${id}`)
  const written = settings['name']
  if (typeof written !== 'string') throw new ValidationError({ name: 'required' })
  const parsed = missing.length > 0 ? undefined : await parseContact(kind, opened)
  return { id, kind, name: parsed?.name ?? written.trim(), parsed }
}

/** @throws ValidationError */
export function readMonitor(reader: Reader, line: LineOf<'monitor'>): ReadMonitor {
  const { core, quotas, seal, export_id } = reader
  const { id, paused, created_at } = line
  const type = core.registry.get(line.type)
  if (type === undefined) throw unknownType(line.type, core.registry.names)
  const { driver, fields, push } = type.checker
  if (driver !== undefined && !isInstalled(driver))
    throw new ValidationError({ type: `invalid: npm install ${driver}` })
  requireUnchanged(reader, fields, { ...line, kind: line.type, what: 'monitor' })
  const { opened, missing } = open(reader, fields, line.settings, `monitor.${id}.settings`)
  const parsed = core.registry.parse(type, opened)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const { common, settings, target } = parsed.value
  if (isTooShort(quotas, type, common))
    throw new ValidationError({
      interval_sec: `out_of_range: ${quotas.min_interval_sec} or more (the shortest interval of the account)`,
    })
  const location_ids = locationsOf(reader, common.location_ids)
  return {
    id,
    type,
    common: {
      ...common,
      name: common.name ?? target.slice(0, 200),
      location_ids,
      confirm_locations: Math.min(common.confirm_locations ?? 2, location_ids.length),
    },
    settings,
    target,
    missing,
    token:
      push === undefined || line.token === undefined
        ? undefined
        : reveal(seal, line.token, placeOf(export_id, `monitor.${id}.token`)),
    paused,
    created_at,
  }
}

function locationsOf(
  { core, locations, checking }: Reader,
  given: readonly number[] | undefined,
): readonly number[] {
  if (given === undefined) return core.locations.map(({ id }) => id)
  return [
    ...new Set(
      given.map((id) => {
        const here = locations.get(id)
        if (here !== undefined && checking.has(here)) return here
        throw new ValidationError({
          location_ids: `invalid: this engine does not check from location ${id} of the export; say which of its own stands for it`,
        })
      }),
    ),
  ]
}

interface Proven {
  readonly what: 'contact' | 'monitor'
  readonly id: number
  readonly kind: string
  readonly settings: JsonObject
  readonly proof?: string | undefined
}

/** A line with secrets must be as it was exported: without the key nobody may redirect them. @throws ValidationError */
function requireUnchanged(
  { seal, export_id }: Reader,
  fields: FieldTable,
  { what, id, kind, settings, proof }: Proven,
): void {
  if (seal === undefined) return
  let secrets = 0
  mapSecrets(fields, settings, (secret) => {
    if (isSealed(secret)) secrets++
    return secret
  })
  if (secrets === 0) return
  const digest = reveal(seal, proof ?? '', placeOf(export_id, `${what}.${id}.proof`), 'proof')
  if (proof === undefined || !isSealed(proof) || digest !== digestOf(kind, settings))
    throw new ValidationError({
      proof: 'invalid: the line was changed since the export; import it as it was, then change it',
    })
}

function open(
  { seal, export_id }: Reader,
  fields: FieldTable,
  settings: JsonObject,
  place: string,
): { readonly opened: JsonObject; readonly missing: readonly string[] } {
  const missing: string[] = []
  const opened = mapSecrets(fields, settings, (secret, path) => {
    if (secret === MASK) missing.push(path)
    return reveal(seal, secret, placeOf(export_id, `${place}.${path}`), path)
  })
  return { opened, missing }
}

export function reveal(
  seal: Seal | undefined,
  secret: string,
  place: string,
  field = 'token',
): string {
  if (!isSealed(secret)) return secret
  if (seal === undefined)
    throw new ValidationError({ [field]: 'invalid: it is encrypted; give the key of the export' })
  try {
    return seal.decrypt(secret, place)
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof UnreadableError)) throw error
    throw new ValidationError({
      [field]: 'invalid: it opens with another key, or was copied from another place',
    })
  }
}

/** What a line names is in an earlier line of the export. @throws ValidationError */
export function requireExported(
  ids: readonly number[],
  exported: { has(id: number): boolean },
  { field, what }: { readonly field: string; readonly what: string },
): void {
  const unknown = ids.find((id) => !exported.has(id))
  if (unknown === undefined) return
  throw new ValidationError({ [field]: `invalid: there is no ${what} ${unknown} in the export` })
}

/** A token that is in use would lead the signals of a job to two monitors. @throws ValidationError */
export async function requireFreeToken({ store }: Core, token: string): Promise<void> {
  try {
    if ((await store.monitors.byTokenHash(hashOf(token))) === undefined) return
  } catch (error) {
    // Of an account that is being removed.
    if (error instanceof NotFoundError) return
    throw error
  }
  throw new ValidationError({
    '': 'invalid: another monitor has this token; export without tokens',
  })
}
