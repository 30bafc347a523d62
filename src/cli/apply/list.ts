/**
 * A file with a list of monitors: JSON, or a module whose default export it is.
 *
 * @module
 */

import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError, ValidationError } from '../../errors.ts'
import type { MonitorEntry } from '../../monitors/define.ts'
import type { MaintenanceEntry } from '../../monitors/windows.ts'
import { readJson } from '../read-file.ts'
import { problemLines } from '../terminal.ts'

const MODULES = ['.mjs', '.cjs', '.js', '.mts', '.ts']

export interface ListFile {
  readonly monitors: readonly MonitorEntry[]
  /** Absent if the file says nothing of it. */
  readonly maintenance: readonly MaintenanceEntry[] | undefined
}

/** What is in it is checked by the sync. @throws ConfigurationError */
export async function readList(path: string): Promise<ListFile> {
  const content = MODULES.includes(extname(path)) ? await importList(path) : await readJson(path)
  const { monitors, maintenance } = isFile(content) ? content : { monitors: content }
  if (!Array.isArray(monitors))
    throw new ConfigurationError(`${path}: an array of monitors is expected`)
  if (maintenance !== undefined && !Array.isArray(maintenance))
    throw new ConfigurationError(`${path}: maintenance: an array is expected`)
  return { monitors: monitors as readonly MonitorEntry[], maintenance }
}

/** As `watchpost import` writes it; maintenance may stand beside the monitors. */
function isFile(
  content: unknown,
): content is { readonly monitors: unknown; readonly maintenance?: unknown } {
  return typeof content === 'object' && content !== null && 'monitors' in content
}

async function importList(path: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as {
      readonly default?: unknown
    }
    return module.default
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(`${path}: cannot be loaded: ${problem}`, { cause })
  }
}

/** Problems of a list, one per line, as the mistake of a file. */
export function asMistakeOf(path: string, error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error
  const problems = problemLines(error.fields).join('\n  ')
  return new ConfigurationError(`${path}: ${problems}`, { cause: error })
}
