/**
 * Stored settings, decoded once and not per check, with a redactor of their secrets and of those that a check learns.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import type { JsonObject } from '../../model.ts'
import { redactorFor } from './redact.ts'
import type { Redactor } from './redact.ts'

/** Caches the decoded form of stored settings while they are in use. */
export type DecodedSettings = WeakMap<JsonObject, PreparedSettings>

export interface PreparedSettings {
  /** Removes the secrets of these settings. */
  readonly redact: Redactor
  /** The settings as `run` gets them, with compiled patterns; absent until first read. */
  settings?: object
  /** For the secrets that the last check learned, which are mostly those of the next one. */
  learned?: { readonly secrets: readonly string[]; readonly redact: Redactor }
}

export function preparedFor(
  checker: AnyChecker,
  stored: JsonObject,
  decoded: DecodedSettings | undefined,
): PreparedSettings {
  const known = decoded?.get(stored)
  if (known !== undefined) return known
  const prepared: PreparedSettings = { redact: redactorFor(checker.fields, stored) }
  decoded?.set(stored, prepared)
  return prepared
}

/** The secrets of one check. */
export interface Secrecy {
  readonly checker: AnyChecker
  readonly stored: JsonObject
  readonly prepared: PreparedSettings
  /** Those that were learned during the check. */
  learned: readonly string[]
  redact: Redactor
}

/** From now on `secret` is removed as well. */
export function conceal(secrecy: Secrecy, secret: string): void {
  const { checker, stored, prepared, learned } = secrecy
  if (secret === '' || learned.includes(secret)) return
  const secrets = [...learned, secret]
  const last = prepared.learned
  const isLast = last?.secrets.join('\n') === secrets.join('\n')
  const redact = isLast ? last.redact : redactorFor(checker.fields, stored, secrets)
  prepared.learned = { secrets, redact }
  Object.assign(secrecy, { learned: secrets, redact })
}
