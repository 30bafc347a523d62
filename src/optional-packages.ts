/**
 * Whether an optional package, such as the driver of a checker, is installed.
 *
 * @module
 */

import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Looks the package up from where watchpost is installed. `true` in a bundle, which may contain the package: a check of
 * the type then reports what does not load.
 */
export function isInstalled(name: string): boolean {
  const require = requireOfPackage()
  if (require === undefined) return true
  try {
    require.resolve(name)
    return true
  } catch (error) {
    // A package may be installed without exporting its root to `require`.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  }
}

/** `undefined` where this file is not in the folder of the package, or has no address (a CommonJS bundle). */
function requireOfPackage(): NodeJS.Require | undefined {
  try {
    const require = createRequire(import.meta.url)
    const folder = dirname(require.resolve('watchpost/package.json'))
    return fileURLToPath(import.meta.url).startsWith(folder + sep) ? require : undefined
  } catch {
    return undefined
  }
}
