/**
 * Online backup: a consistent copy of the file, made while the engine writes.
 *
 * The copy is written under a name of its own, readable by the owner alone, synced to the disk, and gets its name
 * last: what has the name of a backup is a whole one. A file that exists is never replaced.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigurationError, ConflictError, StorageError } from '../../errors.ts'
import type { BackupOptions, BackupSize } from '../backup.ts'
import type { Copying, Handle } from './connection.ts'

/** One backup at a time. */
export interface Backups {
  make(path: string, handle: Handle, options?: BackupOptions): Promise<BackupSize>
  /** Ends the running one; resolves when nothing of it is left. */
  stop(): Promise<void>
}

export function createBackups(): Backups {
  let running: { readonly end: AbortController; readonly done: Promise<unknown> } | undefined
  return {
    async make(path, handle, { signal, onProgress } = {}) {
      if (running !== undefined)
        throw new ConflictError('backup_running', 'A backup is being made; wait for its end')
      signal?.throwIfAborted()
      const end = new AbortController()
      const forward = (): void => end.abort(signal?.reason)
      signal?.addEventListener('abort', forward, { once: true })
      const done = backup(path, handle, { signal: end.signal, onProgress })
      running = { end, done }
      try {
        return await done
      } finally {
        running = undefined
        signal?.removeEventListener('abort', forward)
      }
    },
    async stop() {
      running?.end.abort(new StorageError('The store is closing'))
      await running?.done.catch(() => undefined)
    },
  }
}

async function backup(path: string, handle: Handle, copying: Copying): Promise<BackupSize> {
  return publish(path, (partial) => handle.copy(partial, copying))
}

/**
 * Creates a new file that `write` fills. Nothing has its name before it is whole and on the disk.
 *
 * @throws ConfigurationError if it exists, or its folder does not
 */
export async function publish(
  path: string,
  write: (partial: string) => Promise<void>,
): Promise<BackupSize> {
  const file = resolve(path)
  if (await exists(file)) throw taken(path)
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`
  await createEmpty(partial, path)
  try {
    await write(partial)
    const bytes = await settle(partial)
    await name(partial, file, path)
    await settleFolder(dirname(file))
    return { bytes }
  } finally {
    for (const rest of ['', '-journal', '-wal', '-shm']) await rm(partial + rest, { force: true })
  }
}

async function createEmpty(partial: string, path: string): Promise<void> {
  try {
    await (await open(partial, 'wx', 0o600)).close()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause
    throw new ConfigurationError(`${path}: there is no such folder`, { cause })
  }
}

async function settle(partial: string): Promise<number> {
  const handle = await open(partial, 'r+')
  try {
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** A link fails where the name is taken, while a rename replaces. */
async function name(partial: string, file: string, path: string): Promise<void> {
  try {
    await link(partial, file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(path)
    // A file system without links (FAT, some network shares).
    if (await exists(file)) throw taken(path)
    await rename(partial, file)
  }
}

/** Without it the new name may be lost in a power failure. Windows opens no folders. */
async function settleFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The file itself is on the disk.
  }
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

function taken(path: string): ConfigurationError {
  return new ConfigurationError(`${path}: exists, and is not replaced; take another name`)
}
