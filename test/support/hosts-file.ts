import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The path of a hosts file with these names; removed when the test ends. `finished`: of the context of a test that runs beside others. */
export function hostsFile(
  names: Readonly<Record<string, readonly string[]>>,
  finished: (remove: () => void) => void = onTestFinished,
): string {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-hosts-'))
  finished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'hosts')
  const lines = Object.entries(names).flatMap(([name, addresses]) =>
    addresses.map((address) => `${address}\t${name}\n`),
  )
  writeFileSync(path, lines.join(''))
  return path
}
