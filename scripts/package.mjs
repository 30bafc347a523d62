/**
 * The tarball as a user gets it: packed, judged by publint and attw, installed into an empty project,
 * imported and required through every subpath, compiled against, and run from the command line.
 */

import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { checkerTypes, entries } from './entries.mjs'
import { root, run, tool } from './steps.mjs'
import { undefinedNames } from './undefined-names.mjs'

/** The oldest TypeScript that docs/guide/quick-start.md promises, and the newest. */
const TYPESCRIPTS = ['typescript-oldest@npm:typescript@5.7', 'typescript-newest@npm:typescript@7']
/** Of all of node_modules, in megabytes of 1,000,000 bytes. */
const MAX_MB = { whole: 32, slim: 17.5 }

const folder = mkdtempSync(join(tmpdir(), 'watchpost-package-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

await must('every name in the CommonJS build is defined', definedNames())
await must('npm pack', npm(['pack', '--silent', '--pack-destination', folder], root))
const file = readdirSync(folder).find((name) => name.endsWith('.tgz'))
if (file === undefined) throw new Error('npm pack made no tarball')
const tarball = join(folder, file)

await must('publint', tool('publint/src/cli.js', ['run', tarball, '--strict']))
await must(
  'attw',
  tool(
    '@arethetypeswrong/cli/dist/index.js',
    [tarball, '--profile', 'node16', '--format', 'ascii'],
    {
      quiet: true,
    },
  ),
)

const project = join(folder, 'project')
mkdirSync(project)
writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true }\n')
await must('npm install', npm(['install', '--silent', '--prefer-offline', tarball], project))

const names = entries.map(({ subpath }) => join('watchpost', subpath).replaceAll('\\', '/'))
write('import.mjs', esm())
write('require.cjs', cjs())
await must('import of every subpath', node('import.mjs'))
await must('require of every subpath', node('require.cjs'))

write('types.mts', consumer())
write('types.cts', consumer())
// Right code, and mistakes that have to be errors.
const app = readFileSync(join(root, 'test/package/consumer.ts'), 'utf8')
write('app.mts', app)
write('app.cts', app)
const all = ['types.mts', 'types.cts', 'app.mts', 'app.cts']
const ownTypescript = 'typescript/bin/tsc'
await must('types, import and require', compile(ownTypescript, 'NodeNext', all))
await must('types, Node16', compile(ownTypescript, 'Node16', all))
await must('types, bundler', compile(ownTypescript, 'Bundler', ['types.mts', 'app.mts']))
await must(
  'npm install typescript',
  npm(['install', '--silent', '--no-save', ...TYPESCRIPTS], project),
)
for (const version of TYPESCRIPTS) {
  const [name = ''] = version.split('@npm:')
  await must(
    `types, ${version}`,
    compile(join(project, 'node_modules', name, 'bin/tsc'), 'NodeNext', all),
  )
}
await must('npm prune', npm(['prune', '--silent'], project))
await must(`at most ${MAX_MB.whole} MB with drivers`, weigh(MAX_MB.whole))
await must('npx watchpost types', commandLine())

write('drivers.mjs', drivers("await import('watchpost')", '(name) => import(name)'))
write('drivers.cjs', drivers("require('watchpost')", '(name) => require(name)'))
await must('drivers load on first use, import', node('drivers.mjs'))
await must('drivers load on first use, require', node('drivers.cjs'))

// A slim install has none of the optional drivers; everything still loads.
await must('npm install --omit=optional', npm(['install', '--silent', '--omit=optional'], project))
await must(`at most ${MAX_MB.slim} MB without drivers`, weigh(MAX_MB.slim))
await must('import without the drivers', node('import.mjs'))
await must('require without the drivers', node('require.cjs'))
await must('a missing driver is named, import', node('drivers.mjs', ['missing']))
await must('a missing driver is named, require', node('drivers.cjs', ['missing']))

function definedNames() {
  const problems = undefinedNames(join(root, 'dist'))
  for (const problem of problems) console.error(`    ${problem}`)
  return Promise.resolve(problems.length === 0 ? 0 : 1)
}

/**
 * @param {string} what
 * @param {Promise<number>} work
 */
async function must(what, work) {
  const status = await work
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${what}`)
  if (status !== 0) process.exit(1)
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function npm(args, cwd) {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts']
  return run('npm', [...args, ...quiet], { cwd, quiet: true })
}

/**
 * @param {string} script
 * @param {readonly string[]} [args]
 */
function node(script, args = []) {
  return run(process.execPath, [script, ...args], { cwd: project })
}

/**
 * @param {string} name
 * @param {string} text
 */
function write(name, text) {
  writeFileSync(join(project, name), text)
}

function esm() {
  return `const names = ${JSON.stringify(names)}
for (const name of names) {
  const found = Object.keys(await import(name))
  if (found.length === 0) throw new Error(name + ' exports nothing')
  if (found.includes('default')) throw new Error(name + ' has a default export')
}
`
}

function cjs() {
  return `const names = ${JSON.stringify(names)}
const list = (module) => Object.keys(module).filter((key) => key !== '__esModule').sort().join()
async function compare() {
  for (const name of names) {
    const required = list(require(name))
    const imported = list(await import(name))
    if (required !== imported) throw new Error(name + ': ' + required + ' is not ' + imported)
  }
}
compare().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
`
}

/**
 * Runs every checker that has a driver against a port that hangs up at once: what comes of it is the
 * server's fault where the driver is installed, and the install line where it is not.
 *
 * @param {string} main
 * @param {string} load
 */
function drivers(main, load) {
  return `const missing = process.argv.includes('missing')
const load = ${load}
async function runAll() {
  const { createServer } = await import('node:net')
  const server = createServer((socket) => socket.on('error', () => {}).end())
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { runCheck } = ${main}
  const { builtinCheckers } = await load('watchpost/checkers')
  for (const checker of builtinCheckers().filter(({ driver }) => driver !== undefined)) {
    const user = 'user' in checker.fields ? { user: 'u', pass: 'p' } : {}
    const settings = { host: '127.0.0.1', port: server.address().port, ...user }
    const outcome = await runCheck(checker, settings, { timeout_ms: 5000 })
    const named = outcome.cause_text?.includes('npm install ' + checker.driver) ?? false
    const ours = ['internal_error', 'probe_unsupported'].includes(outcome.cause_code)
    if (missing ? !named : ours) throw new Error(checker.type + ': ' + JSON.stringify(outcome))
  }
  server.close()
}
runAll().catch((error) => {
  console.error(error)
  process.exit(1)
})
`
}

function consumer() {
  const imports = names.map((name, index) => `import * as m${index} from '${name}'`)
  const uses = names.map((_, index) => `m${index}`)
  return `${imports.join('\n')}\nexport const modules: readonly object[] = [${uses.join(', ')}]\n`
}

/**
 * With the library's declarations checked too: what a strict user without skipLibCheck sees.
 *
 * @param {string} compiler
 * @param {'NodeNext' | 'Node16' | 'Bundler'} resolution
 * @param {readonly string[]} files
 */
function compile(compiler, resolution, files) {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'ES2022']
  const node = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const module = resolution === 'Bundler' ? 'ESNext' : resolution
  const how = ['--module', module, '--moduleResolution', resolution]
  const args = [...strict, ...node, ...how, ...files]
  return isAbsolute(compiler)
    ? run(process.execPath, [compiler, ...args], { cwd: project })
    : tool(compiler, args, { cwd: project })
}

/**
 * What an installation takes on disk, file by file.
 *
 * @param {number} most
 */
function weigh(most) {
  const modules = join(project, 'node_modules')
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
  const bytes = files
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  console.log(`    ${(bytes / 1e6).toFixed(1)} MB in node_modules`)
  return Promise.resolve(bytes / 1e6 <= most ? 0 : 1)
}

/** The command line as npx runs it: it has to know all types. */
function commandLine() {
  const command = join(project, 'node_modules/.bin/watchpost')
  const { status, stdout } = spawnSync(command, ['types'], {
    cwd: project,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 60_000,
  })
  const absent = checkerTypes.filter((type) => !new RegExp(`\\b${type}\\b`).test(stdout))
  if (absent.length > 0) console.error(`watchpost types does not name ${absent.join(', ')}`)
  return Promise.resolve(absent.length > 0 ? 1 : (status ?? 1))
}
