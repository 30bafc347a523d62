import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { parsePage, section } from '../package/markdown.ts'
import { APP, REFUSED } from './app.ts'
import { packedProject } from './packed.ts'
import type { Project } from './packed.ts'

// The configurations of the guide "Bundling", each built with its tool, and what it made run.

const PAGE = 'docs/guide/bundling.md'
const page = parsePage(PAGE, readFileSync(join(root, PAGE), 'utf8'))

const BUILD = { timeout: 300_000 }
const TOOLS = join(root, 'node_modules')
let project: Project
/** Outside of the repository: no package can be found from here. */
let alone: string
let databases = 0
beforeAll(async () => {
  project = await packedProject()
  alone = mkdtempSync(join(tmpdir(), 'watchpost-bundle-'))
  mkdirSync(join(project.folder, 'server'))
  project.write('server/app.js', APP)
})
afterAll(() => {
  project.remove()
  rmSync(alone, { recursive: true, force: true })
})

describe('checks with drivers work in a bundle of', () => {
  it('esbuild, with packages left outside', BUILD, async () => {
    await project.node([written('esbuild', 'build-outside.mjs')])
    for (const file of ['dist/outside.mjs', 'dist/outside.cjs'])
      expect(outputOf(process.execPath, [file])).toEqual(REFUSED)
  })

  it('esbuild, with everything in it, also as a single executable', BUILD, async () => {
    await project.node([written('esbuild', 'build-whole.mjs')])
    cpSync(join(project.folder, 'dist'), alone, { recursive: true })
    for (const file of ['whole.mjs', 'whole.cjs'])
      expect(outputOf(process.execPath, [join(alone, file)], alone)).toEqual(REFUSED)

    project.write('sea-config.json', blocksOf('A single executable')[0] ?? '')
    await project.node(['--experimental-sea-config', 'sea-config.json'])
    const program = join(alone, 'app')
    copyFileSync(process.execPath, program)
    chmodSync(program, 0o755)
    const [, , inject = ''] = (blocksOf('A single executable')[1] ?? '').split('\n')
    const words = inject.replace('dist/app ', `${program} `).split(' ').slice(2)
    await project.node([join(TOOLS, 'postject/dist/cli.js'), ...words])
    expect(outputOf(program, [], alone)).toEqual(REFUSED)
  })

  it('webpack, with packages left outside', BUILD, async () => {
    const webpack = join(root, 'test/bundles/webpack.mjs')
    await project.node([webpack, written('webpack', 'webpack.config.mjs')])
    for (const file of ['dist/webpack-cjs/app.cjs', 'dist/webpack-esm/app.mjs'])
      expect(outputOf(process.execPath, [file])).toEqual(REFUSED)
  })

  it('webpack, with everything in it', BUILD, async () => {
    const webpack = join(root, 'test/bundles/webpack.mjs')
    await project.node([webpack, written('webpack', 'webpack.whole.mjs')])
    for (const [folder, file] of [
      ['whole-cjs', 'app.cjs'],
      ['whole-esm', 'app.mjs'],
    ] as const) {
      const target = join(alone, folder)
      cpSync(join(project.folder, 'dist', folder), target, { recursive: true })
      const wasm = 'node-sqlite3-wasm.wasm'
      copyFileSync(join(TOOLS, 'node-sqlite3-wasm/dist', wasm), join(target, wasm))
      expect(outputOf(process.execPath, [join(target, file)], target)).toEqual(REFUSED)
    }
  })

  it('Vite', BUILD, async () => {
    const config = written('Vite', 'vite.config.mjs')
    await project.node([join(TOOLS, 'vite/bin/vite.js'), 'build', `--config=${config}`])
    expect(outputOf(process.execPath, ['dist/vite/app.js'])).toEqual(REFUSED)
  })
})

describe('a bundle tells', () => {
  it('that the .wasm file of SQLite is missing, and where it looks for it', BUILD, async () => {
    project.write(
      'server/wasm.js',
      APP.replace('process.env.DATA', "process.env.DATA, driver: 'wasm'"),
    )
    const build = blocksOf('esbuild').find((text) => text.startsWith('// build-whole.mjs')) ?? ''
    project.write('build-wasm.mjs', build.replaceAll('server/app.js', 'server/wasm.js'))
    await project.node(['build-wasm.mjs'])
    for (const file of ['whole.mjs', 'whole.cjs']) {
      const there = join(alone, 'without-wasm', file)
      cpSync(join(project.folder, 'dist', file), there)
      expect(() => outputOf(process.execPath, [there], alone)).toThrow(
        /The package "node-sqlite3-wasm" does not load: .*without-wasm.node-sqlite3-wasm\.wasm/,
      )
    }
  })

  it('which driver is not installed', BUILD, async () => {
    await project.node([written('esbuild', 'build-outside.mjs')])
    cpSync(join(project.folder, 'dist/outside.cjs'), join(alone, 'none', 'outside.cjs'))
    expect(() => outputOf(process.execPath, [join(alone, 'none', 'outside.cjs')], alone)).toThrow(
      /needs the package "node-sqlite3-wasm": npm install/,
    )
    project.write(
      'server/memory.js',
      APP.replace(/sqliteStore\(.*?\}\)/, 'memoryStore()')
        .replace('{ sqliteStore', '{ memoryStore')
        .replace('store/sqlite', 'store/memory'),
    )
    const build = (blocksOf('esbuild')[0] ?? '').replaceAll('server/app.js', 'server/memory.js')
    project.write('build-memory.mjs', build)
    await project.node(['build-memory.mjs'])
    cpSync(join(project.folder, 'dist/outside.cjs'), join(alone, 'none', 'memory.cjs'))
    expect(outputOf(process.execPath, [join(alone, 'none', 'memory.cjs')], alone)).toMatchObject({
      postgres: 'This needs the package "pg": npm install pg',
      smtp: 'This needs the package "nodemailer": npm install nodemailer',
    })
  })
})

function blocksOf(heading: string): string[] {
  return parsePage(PAGE, section(page, heading)).blocks.map(({ text }) => text)
}

/** Writes the block of the guide that begins with the name. */
function written(heading: string, name: string): string {
  const text = blocksOf(heading).find((each) => each.startsWith(`// ${name}\n`))
  if (text === undefined) throw new Error(`the guide has no ${name}`)
  project.write(name, text)
  return name
}

function outputOf(command: string, args: readonly string[], cwd = project.folder): unknown {
  databases += 1
  const env = { ...process.env, DATA: join(alone, `${databases}.db`) }
  const output = execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' })
  return JSON.parse(output.trim().split('\n').at(-1) ?? '')
}
