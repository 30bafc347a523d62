/**
 * What an API key may do.
 *
 * @module
 */

/** `read` grants every scope that ends in `:read`, `write` all others. */
export const KEY_SCOPES = [
  'read',
  'write',
  'monitors:read',
  'monitors:write',
  'checks:run',
  'incidents:read',
  'incidents:write',
  'contacts:read',
  'contacts:write',
  'maintenance:read',
  'maintenance:write',
  'pages:read',
  'pages:write',
  'notifications:read',
  'notifications:write',
  'account:read',
  'audit:read',
] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** A key may do everything unless it is created with scopes. */
export const ALL_SCOPES: readonly KeyScope[] = ['read', 'write']

/**
 * Whether these scopes, as a host may return them, grant one; `null` is granted by any. Absent scopes grant all of
 * them, any other value that is not a list none.
 */
export function grants(scopes: unknown, wanted: KeyScope | null): boolean {
  if (scopes === undefined) return true
  if (!Array.isArray(scopes)) return false
  if (wanted === null) return KEY_SCOPES.some((scope) => scopes.includes(scope))
  return scopes.includes(wanted) || scopes.includes(wanted.endsWith(':read') ? 'read' : 'write')
}
