/**
 * The image of the guide "Bundling". There is no Docker where this runs: the steps of both stages are carried out one by
 * one, each in a root of its own.
 */

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { buildScript, cannotBuild, readDockerfile, textsOf, wordsOf } from '../deploy/dockerfile.ts'
import { parsePage, section } from '../package/markdown.ts'
import { packPackage } from '../support/packed.ts'
import { startRegistry } from '../support/registry.ts'
import type { Packed } from '../support/registry.ts'
import { APP, REFUSED } from './app.ts'

/** The registry answers from this process, which therefore does not wait. */
const execute = promisify(execFile)

const PAGE = 'docs/guide/bundling.md'
const page = parsePage(PAGE, readFileSync(join(root, PAGE), 'utf8'))
const REASON = cannotBuild()

const blocksOf = (heading: string): readonly string[] =>
  parsePage(PAGE, section(page, heading)).blocks.map(({ text }) => text)

it('a container image in two stages runs the bundle alone, as a user', async ({ skip }) => {
  if (REASON !== undefined) skip(REASON)
  const stages = readDockerfile(blocksOf('A container image')[0] ?? '')
  const last = stages.at(-1)
  const place = mkdtempSync(join(tmpdir(), 'watchpost-image-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const packed = await packPackage()
  onTestFinished(() => packed.remove())
  const registry = await startRegistry([packed, ...elsewhere(packed.tarball)])
  onTestFinished(() => registry.close())

  const context = join(place, 'context')
  mkdirSync(join(context, 'server'), { recursive: true })
  const write = (name: string, text: string): void => writeFileSync(join(context, name), text)
  write('package.json', JSON.stringify(project(packed.manifest.version)))
  write('server/app.js', APP)
  const build = blocksOf('esbuild').find((text) => text.startsWith('// build-whole.mjs'))
  write('build-whole.mjs', build ?? '')
  const npm = { npm_config_registry: registry.url, npm_config_cache: join(place, 'npm') }
  await execute('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit'], {
    ...{ cwd: context, env: { ...process.env, ...npm }, timeout: 120_000 },
  })

  const rooms = join(place, 'build')
  const script = join(place, 'build.sh')
  const run = async (command: readonly string[]): Promise<string> => {
    const steps = buildScript({
      ...{ stages, context, place: rooms, command, skips: () => false },
      env: { npm_config_registry: registry.url, npm_config_cache: '/tmp/npm', HOME: '/tmp' },
      variables: { DATA: 'data/app.db' },
    })
    writeFileSync(script, `mkdir -p ${rooms}\n${steps}\n`)
    // What a step says stands in the error when it fails.
    const { stdout } = await execute('unshare', ['-m', 'sh', '-e', script], { timeout: 480_000 })
    return stdout.trim()
  }
  // One build: the program, then what there is beside it.
  const main = wordsOf(textsOf(last, 'CMD')[0])
  const output = await run(['sh', '-c', '"$@" && ls -A . dist data && id -u', 'sh', ...main])
  const said = output.split('\n')
  expect(JSON.parse(said[0] ?? '')).toEqual(REFUSED)
  expect(said.slice(1)).toEqual([
    ...['.:', 'data', 'dist', '', 'data:', 'app.db', '', 'dist:'],
    ...['node-sqlite3-wasm.wasm', 'whole.cjs', 'whole.mjs', '1000'],
  ])
}, 600_000)

const esbuild = JSON.parse(
  readFileSync(join(root, 'node_modules/esbuild/package.json'), 'utf8'),
) as { readonly version: string; readonly optionalDependencies: Readonly<Record<string, string>> }

/** The programs of esbuild for other platforms, which a lock file names and nobody here fetches. */
function elsewhere(tarball: string): readonly Packed[] {
  return Object.entries(esbuild.optionalDependencies)
    .filter(([name]) => !existsSync(join(root, 'node_modules', name)))
    .map(([name, version]) => {
      const [os = '', cpu = ''] = name.replace('@esbuild/', '').split('-')
      const manifest = { name, version, os: [os], cpu: [cpu] }
      return { manifest, tarball }
    })
}

function project(version: string): object {
  return {
    ...{ name: 'app', version: '1.0.0', private: true, type: 'module' },
    dependencies: { watchpost: version },
    devDependencies: { esbuild: esbuild.version },
  }
}
