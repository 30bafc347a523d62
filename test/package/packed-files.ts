/** The files of the package, as npm chooses them; those of `dist` only where it is built. */
import { execFileSync } from 'node:child_process'
import { root } from '../../scripts/steps.mjs'

export function packedFiles(): ReadonlySet<string> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const output = execFileSync('npm', args, { cwd: root, encoding: 'utf8', timeout: 60_000 })
  const [packed] = JSON.parse(output) as readonly {
    readonly files: readonly { readonly path: string }[]
  }[]
  return new Set(packed?.files.map(({ path }) => path))
}
