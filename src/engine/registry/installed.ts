/**
 * Whether an optional package can be loaded, without loading it.
 *
 * @module
 */

import { createRequire } from 'node:module'

/** Looks the package up from where watchpost is installed. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch (error) {
    // A package may be installed without exporting its root to `require`.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  }
}
