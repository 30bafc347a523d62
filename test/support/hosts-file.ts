import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The path of a hosts file with these names; removed when the test ends. */
export function hostsFile(names: Readonly<Record<string, readonly string[]>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-hosts-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'hosts')
  const lines = Object.entries(names).flatMap(([name, addresses]) =>
    addresses.map((address) => `${address}\t${name}\n`),
  )
  writeFileSync(path, lines.join(''))
  return path
}
