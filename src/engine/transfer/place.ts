/**
 * Where a secret stands in an export: encrypted for this place, it opens in no other.
 *
 * @module
 */

export function placeOf(export_id: string, path: string): string {
  return `export.${export_id}.${path}`
}
