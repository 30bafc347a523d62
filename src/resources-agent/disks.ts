/**
 * How full the local disks are.
 *
 * @module
 */

import { readFile, statfs } from 'node:fs/promises'
import { platform } from 'node:os'
import type { Clock } from '../clock.ts'

export interface DiskUse {
  /** Mount point. */
  readonly mount: string
  /** Percent as `df` counts it; `null` where the file system does not answer. */
  readonly used_pct: number | null
}

export interface DiskOptions {
  readonly clock: Pick<Clock, 'timer'>
  /** Default: {@link localMounts}. */
  readonly disks: readonly string[] | undefined
}

/** A network file system whose server is gone never answers. */
const TIMEOUT_MS = 2000

const MAX_DISKS = 50

/**
 * A disk that does not answer is left alone until it does: every question to it takes one of the few
 * threads that this process has for files.
 */
export function createDiskMeter({ clock, disks }: DiskOptions): () => Promise<readonly DiskUse[]> {
  const asked = new Map<string, Promise<number | null>>()

  function ask(mount: string): Promise<number | null> {
    const running = asked.get(mount)
    if (running !== undefined) return running
    const asking = usedPct(mount).finally(() => asked.delete(mount))
    asked.set(mount, asking)
    return asking
  }

  function inTime(mount: string): Promise<DiskUse> {
    return new Promise((resolve) => {
      const late = clock.timer(TIMEOUT_MS, () => resolve({ mount, used_pct: null }))
      void ask(mount).then((used_pct) => {
        late.cancel()
        resolve({ mount, used_pct })
      })
    })
  }

  return async () => {
    const mounts = disks ?? (await localMounts())
    return Promise.all(mounts.slice(0, MAX_DISKS).map(inTime))
  }
}

/** Never rejects. As `df`: what is kept for root counts as neither used nor free. */
async function usedPct(mount: string): Promise<number | null> {
  try {
    const { blocks, bfree, bavail } = await statfs(mount)
    const used = blocks - bfree
    return used + bavail > 0 ? Math.round((used / (used + bavail)) * 10_000) / 100 : null
  } catch {
    return null
  }
}

async function localMounts(): Promise<readonly string[]> {
  if (platform() === 'win32') return ['C:\\']
  const mounts = readMounts(await readFile('/proc/self/mounts', 'utf8').catch(() => ''))
  return mounts.length > 0 ? mounts : ['/']
}

const UNREAL_TYPES = /^(?:squashfs|iso9660|erofs|tmpfs|devtmpfs|overlay)$/

/** One mount point per device, the shortest: containers have files of the host's disk mounted here and there. */
export function readMounts(table: string): readonly string[] {
  const shortest = new Map<string, string>()
  for (const line of table.split('\n')) {
    const [device = '', escaped = '', type = ''] = line.split(' ')
    const isLocal =
      (device.startsWith('/dev/') && !device.startsWith('/dev/loop')) || type === 'zfs'
    if (!isLocal || UNREAL_TYPES.test(type)) continue
    // Blanks and the like stand there in octal (fstab(5)).
    const mount = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(parseInt(octal, 8)),
    )
    const known = shortest.get(device)
    if (known === undefined || mount.length < known.length) shortest.set(device, mount)
  }
  return [...shortest.values()].sort()
}
