/** One file, one test, one page: a checker or a contact kind is added to a copy of this repository, and taken away. */

import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { KIND_SECTION, NEW_CHECKER, NEW_KIND } from './new-parts.ts'

const copy = mkdtempSync(join(tmpdir(), 'watchpost-new-checker-'))
const guide = join(copy, 'docs/guide/contacts.md')
const added = Object.entries({ ...NEW_CHECKER, ...NEW_KIND })

beforeAll(() => {
  for (const name of readdirSync(root)) {
    if (/^(?:node_modules|dist|\.git|\.cache)$/.test(name)) continue
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

it('a checker and a contact kind are added by their own files alone', { timeout: 600_000 }, () => {
  // Whether the copy is up to date is for other tests to say.
  writeAll()
  const before = filesOf()
  for (const [path, text] of added) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), text)
  }
  appendFileSync(guide, KIND_SECTION)
  const written = [
    'docs/README.md',
    'docs/checkers/daytime.md',
    'docs/guide/contacts.md',
    'docs/reference/causes.md',
    'docs/reference/cli.md',
    'docs/reference/imports.md',
    'docs/reference/settings.md',
    'package.json',
    'src/checkers/by-type.ts',
    'src/checkers/descriptions/daytime.ts',
    'src/checkers/descriptions/index.ts',
    'src/checkers/index.ts',
    'src/contacts/index.ts',
    'test/package/public-names.txt',
  ]
  expect(writeAll()).toEqual(expect.arrayContaining(written))
  expect(read('package.json')).toContain('"./checkers/extra/daytime"')
  expect(read('docs/reference/causes.md')).toMatch(/`daytime_unexpected` +\| `fail` +\| settings/)
  expect(run('src/cli/main.ts', 'types', 'daytime')).toMatch(/^daytime: Daytime\n {2}host\*/)
  expect(run('src/cli/main.ts', 'check', '--help')).toContain('watchpost check')

  tool('typescript/bin/tsc', '--project', typesProject())
  rmSync(typesProject())
  tool(
    'vitest/vitest.mjs',
    ...['run', '--root', copy, '--testNamePattern', CONCERNED],
    ...TESTS.map((name) => join(copy, 'test', name)),
  )

  for (const [path] of added) rmSync(join(copy, path))
  const page = readFileSync(guide, 'utf8')
  writeFileSync(guide, page.slice(0, page.indexOf('\n## gong')))
  writeAll()
  const after = filesOf()
  const changed = [...after].filter(([path, text]) => before.get(path) !== text)
  expect(changed.map(([path]) => path)).toEqual([])
  expect(after.size).toBe(before.size)
})

/** Of what lists the built-in parts or goes through all of them, the quick ones. */
const TESTS = [
  'checkers/extra/daytime.test.ts',
  'checkers/suite.test.ts',
  'contacts/gong.test.ts',
  'contacts/guide.test.ts',
  'package/causes.test.ts',
  'package/docs.test.ts',
  'package/exports.test.ts',
  'rest/every-type.test.ts',
]

/** Of the suites that go through all types, the cases of the new one; code in pages is compiled elsewhere. */
const CONCERNED = [
  ...['daytime', 'gong', 'is told in a text', 'the year', 'the sixteen', 'GET /types'],
  ...['the guide has', 'who is to blame', 'as `npm run', 'a page for every type'],
  ...['are all reached', 'leads nowhere', 'that define', 'its own module', 'builtinCheckers and'],
].join('|')

/** What the writing scripts have changed. */
function writeAll(): string[] {
  const said = run('scripts/exports.mjs') + run('scripts/docs.mjs')
  return [...said.matchAll(/^written +(\S+)$/gm)].map(([, path = '']) => path).sort()
}

function typesProject(): string {
  const path = join(copy, 'tsconfig.new.json')
  const include = ['src', ...added.map(([file]) => file)]
  writeFileSync(path, JSON.stringify({ extends: './tsconfig.json', include }))
  return path
}

function tool(path: string, ...args: readonly string[]): string {
  return run(join('node_modules', path), ...args)
}

/** A script of the copy, TypeScript too, with what it says. */
function run(script: string, ...args: readonly string[]): string {
  const hooks = `import { register } from 'node:module'; register('./scripts/docs/read-typescript.mjs', '${new URL(`file://${copy}/`).href}')`
  const loader = script.endsWith('.ts')
    ? ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`]
    : []
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loader, script, ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1' },
  })
  expect(status, `${script} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0)
  return stdout
}

function read(path: string): string {
  return readFileSync(join(copy, path), 'utf8')
}

/** Path to text, of everything that is no package. */
function filesOf(): ReadonlyMap<string, string> {
  const paths = ['src', 'scripts', 'test', 'docs'].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name)),
  )
  const top = readdirSync(copy, { withFileTypes: true }).filter((each) => each.isFile())
  return new Map(
    [...paths, ...top.map(({ name }) => join(copy, name))].map((path) => [
      path,
      readFileSync(path, 'latin1'),
    ]),
  )
}
