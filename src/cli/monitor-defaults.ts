/**
 * `WATCHPOST_MONITOR_DEFAULTS`: what new monitors have where nothing is said.
 *
 * @module
 */

import type { EngineOptions } from '../engine/options.ts'
import { parseDefaults } from '../engine/services/monitor-defaults.ts'
import { ConfigurationError } from '../errors.ts'
import type { SettingValues } from './environment.ts'
import { readJson } from './read-file.ts'
import { problemLines } from './terminal.ts'

/** @throws ConfigurationError with every problem */
export async function monitorDefaultsOf({
  monitor_defaults: given,
}: SettingValues<'monitor_defaults'>): Promise<NonNullable<EngineOptions['monitorDefaults']>> {
  if (given === undefined) return {}
  const isFile = 'file' in given
  const parsed = parseDefaults(isFile ? await readJson(given.file) : given.json, 'engine')
  if (parsed.ok) return parsed.value
  const problems = problemLines(parsed.fields)
  const place = `WATCHPOST_MONITOR_DEFAULTS:${isFile ? ` ${given.file}:` : ''}`
  throw new ConfigurationError(`${place} ${problems.join('\n  ')}`)
}
