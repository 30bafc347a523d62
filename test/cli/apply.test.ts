import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { commandLine, folder } from '../support/command-line.ts'

const watchpost = commandLine()

const KEY = 'a-key-of-the-operator'
const QUIET = { LOG_LEVEL: 'warn', WATCHPOST_API_KEY: KEY }

const SHOP = { key: 'shop', type: 'http', name: 'Shop', url: 'http://127.0.0.1:9/', paused: true }
const DB = { key: 'db', type: 'tcp', host: '127.0.0.1', port: 9, paused: true }

/** A folder with a list in it, and the commands that are run there. */
function place(env: Readonly<Record<string, string>> = {}) {
  const cwd = folder()
  const run = (...args: readonly string[]) => watchpost.run(args, { cwd, env })
  return {
    cwd,
    run,
    write: (list: unknown, name = 'monitors.json') =>
      writeFileSync(join(cwd, name), typeof list === 'string' ? list : JSON.stringify(list)),
    apply: (...args: readonly string[]) => run('apply', 'monitors.json', ...args),
    async served(more: Readonly<Record<string, string>> = {}) {
      const server = await watchpost.serve({ cwd, env: { ...QUIET, ...env, ...more } })
      const { body } = await server.call('/api/v1/monitors', { key: KEY })
      return { server, names: (body.monitors as { name: string }[]).map(({ name }) => name) }
    },
  }
}

describe('watchpost apply', () => {
  it('makes what the server then watches, and nothing the second time', async () => {
    const { write, apply, served } = place()
    write([SHOP, DB])
    const first = await apply()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout.split('\n')).toEqual([
      '+ shop  "Shop"  http',
      '+ db  "127.0.0.1:9"  tcp',
      '2 to create, 0 to update, 0 to remove, 0 unchanged',
      '',
    ])
    expect((await apply()).stdout).toBe('0 to create, 0 to update, 0 to remove, 2 unchanged\n')
    expect((await served()).names).toEqual(['Shop', '127.0.0.1:9'])
  })

  it('plans maintenance of the list as well', async () => {
    const { write, apply, served } = place()
    const window = { at: '22:00', duration_min: 60 }
    const disks = { key: 'disks', name: 'Disks', window, monitors: ['db'] }
    write({ monitors: [SHOP, DB], maintenance: [disks] })
    expect((await apply()).stdout).toContain('+ disks  "Disks"\nmaintenance: 1 to create')
    expect((await apply('--dry-run')).code).toBe(0)
    write({ monitors: [SHOP, DB], maintenance: [{ ...disks, name: 'Racks', monitors: ['web'] }] })
    const wrong = await apply()
    expect(wrong).toMatchObject({ code: 64, stdout: '' })
    expect(wrong.stderr).toContain('maintenance.disks.monitors: invalid: no monitor of the list')
    write({ monitors: [SHOP], maintenance: {} })
    expect((await apply()).stderr).toContain('monitors.json: maintenance: an array is expected')
    const { server } = await served()
    const { body } = await server.call('/api/v1/maintenance', { key: KEY })
    expect(body.maintenance).toMatchObject([{ name: 'Disks', tags: ['key:db', 'window:disks'] }])
    await server.stop()
  })

  it('only tells with --dry-run, and its exit code says whether anything would change', async () => {
    const { write, apply } = place()
    write([SHOP])
    const dry = await apply('--dry-run')
    expect(dry).toMatchObject({ code: 2, stderr: '' })
    expect(dry.stdout).toContain('1 to create')
    expect((await apply()).stdout).toBe(dry.stdout)
    expect(await apply('--dry-run')).toMatchObject({ code: 0 })
  })

  it('leaves, pauses or removes what is not in the list any more', async () => {
    const { write, apply } = place()
    write([SHOP, DB])
    await apply()
    write([SHOP])
    expect((await apply('--dry-run')).stdout).toContain(
      '? db  "127.0.0.1:9"  not in the list, left alone',
    )
    expect((await apply('--unlisted', 'remove')).stdout).toContain('- db  "127.0.0.1:9"  remove')
    expect(await apply('--unlisted', 'burn')).toMatchObject({
      code: 64,
      stderr: 'watchpost: --unlisted: leave, pause, remove are known, not "burn"\n',
    })
  })

  it('takes a module as well', async () => {
    const { write, run } = place()
    write(`export default [${JSON.stringify(SHOP)}]`, 'monitors.mjs')
    expect(await run('apply', 'monitors.mjs')).toMatchObject({ code: 0 })
    write('throw new Error("no secrets in here")', 'broken.mjs')
    const { code, stderr } = await run('apply', 'broken.mjs')
    expect(code).toBe(64)
    expect(stderr).toBe('watchpost: broken.mjs: cannot be loaded: no secrets in here\n')
  })

  it.each([
    ['{"monitors": [{"pass": "hidden', 'monitors.json: is not valid JSON'],
    ['{}', 'monitors.json: an array of monitors is expected'],
    [[{ key: 'a', type: 'http', url: 'ftp://hidden' }], 'monitors.json: a.url: invalid'],
    [
      [{ ...SHOP, contacts: ['nobody'] }],
      'shop.contacts: invalid: entry 1: there is no contact "nobody"',
    ],
  ])('refuses %j with exit code 64', async (content, problem) => {
    const { write, apply } = place()
    write(content)
    const { code, stdout, stderr } = await apply()
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toContain(problem)
    expect(stderr).not.toContain('hidden')
  })

  it('gives new monitors the defaults of the server: JSON, or a file of it', async () => {
    const { cwd, write, run, served } = place({ WATCHPOST_MONITOR_DEFAULTS: 'defaults.json' })
    writeFileSync(join(cwd, 'defaults.json'), '{"interval_sec": 420, "tags": ["company"]}')
    write([DB])
    expect(await run('apply', 'monitors.json')).toMatchObject({ code: 0, stderr: '' })
    const { server } = await served({ WATCHPOST_MONITOR_DEFAULTS: '{"interval_sec": 840}' })
    const body = { type: 'tcp', name: 'New', host: '127.0.0.1', port: 9 }
    await server.call('/api/v1/monitors', { key: KEY, method: 'POST', body })
    const { body: list } = await server.call('/api/v1/monitors', { key: KEY })
    expect(list.monitors).toMatchObject([{ interval_sec: 420 }, { name: 'New', interval_sec: 840 }])
    await server.stop()
    for (const [value, problem] of [
      [
        '{"interval_sec": 1, "url": "x"}',
        'WATCHPOST_MONITOR_DEFAULTS: url: unknown_field\n  interval_sec: out_of_range',
      ],
      ['{"pass": "hidden', '--monitor-defaults: is not valid JSON'],
      ['none.json', 'none.json: cannot be read'],
      ['monitors.json', 'WATCHPOST_MONITOR_DEFAULTS: monitors.json: invalid: an object'],
    ]) {
      const { code, stderr } = await run('serve', '--port', '0', '--monitor-defaults', value!)
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(problem!) })
      expect(stderr).not.toContain('hidden')
    }
  })

  it('changes nothing for a list with a mistake in its last entry', async () => {
    const { write, apply } = place()
    write([SHOP, { ...DB, port: 0 }])
    expect(await apply()).toMatchObject({ code: 64, stdout: '' })
    write([SHOP])
    expect((await apply()).stdout).toContain('1 to create, 0 to update')
  })

  it('says a problem on one line, whatever names the file has', async () => {
    const { write, apply } = place()
    write([{ ...SHOP, 'colour\nwatchpost: 1 to create\n::warning::x': 'red' }])
    const { code, stderr } = await apply()
    expect(code).toBe(64)
    expect(stderr).toBe(
      'watchpost: monitors.json: shop.colour watchpost: 1 to create ::warning::x: unknown_field\n',
    )
  })

  it('does not change a data file under a running server, and says what to do', async () => {
    const { write, apply, served } = place()
    write([SHOP])
    await served()
    const { code, stderr } = await apply()
    expect(code).toBe(1)
    expect(stderr).toContain('WATCHPOST_MONITORS')
  })
})

describe('WATCHPOST_MONITORS', () => {
  it('is applied at every start, and names contacts of the contacts file', async () => {
    const { write, served } = place()
    write([{ kind: 'webhook', name: 'ops', url: 'https://192.0.2.1/' }], 'contacts.json')
    const env = {
      WATCHPOST_MONITORS: 'monitors.json',
      WATCHPOST_CONTACTS: 'contacts.json',
      WATCHPOST_WEBHOOK_ALLOW: '192.0.2.0/24',
    }
    write([{ ...SHOP, contacts: ['ops'] }])
    const first = await served(env)
    expect(first.names).toEqual(['Shop'])
    await first.server.stop()
    write([{ ...SHOP, name: 'Store' }, DB])
    expect((await served(env)).names).toEqual(['Store', '127.0.0.1:9'])
  })

  it('keeps the server from starting where there is a mistake in it', async () => {
    const { write, run } = place({ LOG_LEVEL: 'error', WATCHPOST_MONITORS: 'monitors.json' })
    write([{ ...SHOP, colour: 'red' }])
    const { code, stderr } = await run('serve', '--port', '0')
    expect(code).toBe(64)
    expect(stderr).toBe(
      'watchpost: WATCHPOST_MONITORS: monitors.json: shop.colour: unknown_field\n',
    )
  })
})

describe('a type that only WATCHPOST_EXTRA_CHECKERS registers', () => {
  const CACHE = { key: 'cache', type: 'redis', host: '127.0.0.1', port: 9, paused: true }
  const RPC = { key: 'rpc', type: 'grpc', host: '127.0.0.1', port: 9, paused: true }
  const EXTRA = { WATCHPOST_EXTRA_CHECKERS: 'true' }
  const HINT = 'WATCHPOST_EXTRA_CHECKERS=true registers'

  it.each([
    ['apply', ['apply', 'monitors.json']],
    ['serve', ['serve', '--port', '0', '--monitors', 'monitors.json']],
  ])('is named by %s with its monitor and the variable', async (_, args) => {
    const { write, run } = place()
    write([RPC, SHOP, CACHE, { ...DB, type: 'pigeon' }])
    const { code, stderr } = await run(...args)
    expect(code).toBe(64)
    expect(stderr).toMatch(/rpc\.type: invalid: there is no type "grpc"; one of http, /)
    expect(stderr).toMatch(/cache\.type: invalid: there is no type "redis"/)
    expect(stderr).toMatch(/db\.type: invalid: there is no type "pigeon"/)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`  ${HINT} grpc, redis`)
    write([{ ...DB, type: 'pigeon' }])
    expect((await run(...args)).stderr).not.toContain('EXTRA_CHECKERS')
  })

  it('is named by export and import as well', async () => {
    const extra = place(EXTRA)
    extra.write([RPC, SHOP])
    expect(await extra.apply()).toMatchObject({ code: 0 })
    expect(await extra.run('export', 'all.jsonl')).toMatchObject({ code: 0 })
    const file = join(extra.cwd, 'all.jsonl')
    const { cwd } = extra
    const exported = await watchpost.run(['export', 'again.jsonl'], { cwd })
    const imported = await place().run('import', 'watchpost', file)
    for (const { code, stderr } of [exported, imported]) {
      expect(code).toBe(64)
      expect(stderr).toContain('type "grpc"')
      expect(stderr.trimEnd().split('\n').at(-1)).toBe(`  ${HINT} grpc`)
    }
  })
})

describe('watchpost import', () => {
  const fixture = (name: string): string => join(root, 'test/importers/fixtures', name)

  it.each([
    ['kuma', ['kuma.json'], 12],
    ['gatus', ['gatus.yaml'], 12],
    ['blackbox', ['blackbox.yml', '--prometheus', 'prometheus.yml'], 8],
  ] as const)('writes a list that apply takes, out of %s', async (name, files, count) => {
    const { write, run, apply } = place({ WATCHPOST_EXTRA_CHECKERS: 'true' })
    const args = files.map((file) => (file.startsWith('--') ? file : fixture(file)))
    const { code, stdout, stderr } = await run('import', name, ...args)
    expect(code).toBe(0)
    expect(stderr).toMatch(new RegExp(`^watchpost: ${count} monitors, \\d+ notes$`, 'm'))
    const { not_carried_over } = JSON.parse(stdout) as { not_carried_over: { of: string }[] }
    expect(stderr.trim().split('\n')).toHaveLength(not_carried_over.length + 1)
    write(stdout)
    const planned = await apply('--dry-run')
    expect(planned).toMatchObject({ code: 2, stderr: '' })
    expect(planned.stdout).toContain(`\n${count} to create, 0 to update`)
  })

  it('refuses what it cannot read, without quoting it', async () => {
    const { write, run } = place()
    write('{"pass": "hidden', 'kuma.json')
    write('a: [hidden\nb: ]', 'gatus.yaml')
    const ends = [
      await run('import', 'kuma', 'kuma.json'),
      await run('import', 'gatus', 'gatus.yaml'),
      await run('import', 'gatus', 'nowhere.yaml'),
      await run('import', 'nagios', 'x'),
      await run('import', 'kuma', 'kuma.json', '--prometheus', 'x'),
    ]
    expect(ends.map(({ code }) => code)).toEqual([64, 64, 64, 64, 64])
    expect(ends.map(({ stderr }) => stderr.replace(/ \(.*/, ''))).toEqual([
      expect.stringContaining('kuma.json: is not valid JSON'),
      expect.stringContaining('gatus.yaml: is not valid YAML'),
      expect.stringContaining('nowhere.yaml: cannot be read'),
      expect.stringContaining(
        'import takes one of kuma, gatus, blackbox, uptimerobot, betterstack, healthchecks, watchpost, and a file',
      ),
      expect.stringContaining('--prometheus goes with blackbox'),
    ])
    expect(ends.map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain('hidden')
  })
})

describe('watchpost import of a hostile file', () => {
  it.each([
    // 9 to the power of 9 texts in 300 bytes ("billion laughs").
    [
      'aliases of aliases',
      ['a: &a [x, x, x, x, x, x, x, x, x]', ...laughs('abcdefghi')].join('\n'),
      'its aliases repeat more than 1048576 characters',
    ],
    ['lists in lists', `endpoints: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, '\\w+'],
    ['maps in maps', `endpoints: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`, '\\w+'],
  ])('refuses YAML that is more than it seems: %s', async (_name, text, problem) => {
    const cwd = folder()
    writeFileSync(join(cwd, 'gatus.yaml'), text)
    const { code, stderr } = await watchpost.run(['import', 'gatus', 'gatus.yaml'], { cwd })
    expect({ code, stderr }).toMatchObject({ code: 64 })
    const said = `^watchpost: gatus.yaml: is not valid YAML \\(${problem}\\)\n$`
    expect(stderr).toMatch(new RegExp(said))
  })

  it('refuses an alias inside of itself', async () => {
    const { write, run } = place()
    write('endpoints:\n  - &e\n    <<: *e\n    name: x\n', 'gatus.yaml')
    const { code, stderr } = await run('import', 'gatus', 'gatus.yaml')
    expect(code).toBe(64)
    expect(stderr).toContain('gatus.yaml: is not valid YAML (an alias stands inside of itself)')
  })

  it.runIf(existsSync('/dev/zero'))(
    'reads no more than the limit, whatever its size is said to be',
    async () => {
      const { run } = place()
      const { code, stderr } = await run('import', 'kuma', '/dev/zero')
      expect(code).toBe(64)
      expect(stderr).toContain('/dev/zero: cannot be read: more than 16 MiB')
    },
  )
})

describe('watchpost import without the optional package yaml', () => {
  const slim = commandLine({ without: ['yaml'] })

  it('says what to install, and reads JSON all the same', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'gatus.yaml'), 'endpoints: []')
    const yaml = await slim.run(['import', 'gatus', 'gatus.yaml'], { cwd })
    expect(yaml).toMatchObject({
      code: 1,
      stderr: 'watchpost: This needs the package "yaml": npm install yaml\n',
    })
    writeFileSync(
      join(cwd, 'gatus.json'),
      '{"endpoints": [{"name": "a", "url": "https://a.example"}]}',
    )
    const json = await slim.run(['import', 'gatus', 'gatus.json'], { cwd })
    expect(json.code).toBe(0)
    expect(json.stdout).toContain('"url": "https://a.example"')
    expect(readFileSync(join(cwd, 'gatus.yaml'), 'utf8')).toBe('endpoints: []')
  })
})

/** Each letter but the first is nine times the one before it. */
function laughs(letters: string): string[] {
  return [...letters].slice(1).map((letter, index) => {
    const alias = `*${letters[index] ?? ''}`
    return `${letter}: &${letter} [${Array.from({ length: 9 }, () => alias).join(', ')}]`
  })
}
