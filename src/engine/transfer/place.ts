/**
 * The place of a secret in an export. A secret is encrypted for its place, and cannot be decrypted at another.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import type { JsonObject } from '../../model.ts'
import type { Seal } from '../../seal.ts'
import type { Core } from '../core/core.ts'

export interface Exporting {
  readonly core: Core
  readonly account_id: number
  readonly export_id: string
  /** Absent: secrets are left out. */
  readonly seal: Seal | undefined
  readonly tokens: boolean
}

export function placeOf(export_id: string, path: string): string {
  return `export.${export_id}.${path}`
}

/**
 * The digest of a line, which the line contains encrypted: without the key nobody can change the address beside a
 * secret, and so send the secret to another host.
 */
export function digestOf(kind: string, settings: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, settings]))
    .digest('base64')
}
