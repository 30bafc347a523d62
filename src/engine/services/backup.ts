/**
 * Online backup of the store.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { notOffered } from '../../store/fallbacks.ts'
import type { BackupOptions } from '../../store/store.ts'
import type { Engine } from '../api/engine.ts'
import type { ServiceContext } from './service-context.ts'

export function backupOf({ core, monitorCache, ready }: ServiceContext): Engine['backup'] {
  return async (path, options = {}) => {
    checkOptions('backup', options, OPTIONS)
    if (typeof path !== 'string' || path.trim() === '')
      throw new ConfigurationError('backup: the path of a new file is expected')
    await ready()
    const { store } = core
    if (store.backup === undefined) throw notOffered('A backup', 'backup')
    // Rounds that nobody waits for are committed late; they belong to the backup.
    monitorCache.flush()
    return { path, ...(await store.backup(path, options)) }
  }
}

const OPTIONS = {
  signal: option.anything,
  onProgress: option.callback,
} satisfies option.OptionTable<BackupOptions>
