import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { commandLine, folder } from '../support/command-line.ts'
import type { Server } from '../support/command-line.ts'
import { freePorts } from '../support/servers/ports.ts'

const watchpost = commandLine()

const HEARTBEAT = { type: 'heartbeat', name: 'Backup', interval_sec: 3600 }

describe('the first start of serve', () => {
  it('makes the data file and prints a key, with a call that creates a monitor', async () => {
    const cwd = folder()
    const server = await watchpost.serve({ cwd })
    expect(existsSync(join(cwd, 'data/watchpost.db'))).toBe(true)
    const [, url = '', key = '', body = ''] =
      /^curl -s (\S+) -H 'Authorization: Bearer (\S+)' -H 'Content-Type: application\/json' -d '(.*)'$/m.exec(
        server.stdout(),
      ) ?? []
    expect({ url, key }).toEqual({ url: `${server.url}/api/v1/monitors`, key: server.key })
    // Their example, but for a host that is not on this machine.
    const example = { ...(JSON.parse(body) as object), url: server.url }
    expect(await server.call('/api/v1/monitors', { body: example })).toMatchObject({
      status: 201,
      body: { monitor: { state: 'pending', name: 'Example' } },
    })
  })

  it('is the only one that prints a key', async () => {
    const cwd = folder()
    const first = await watchpost.serve({ cwd })
    await first.stop()
    const second = await watchpost.serve({ cwd })
    expect(second.stdout()).toBe(`Listening on ${second.url}, data in data/watchpost.db\n`)
    expect((await second.call('/api/v1/me', { key: first.key })).status).toBe(200)
  })

  it('takes WATCHPOST_API_KEY as the key instead, at every start', async () => {
    const options = { cwd: folder(), env: { WATCHPOST_API_KEY: 'a-key-of-the-operator' } }
    for (let start = 0; start < 2; start++) {
      const server = await watchpost.serve(options)
      expect(server.stdout()).not.toContain('key')
      const key = options.env.WATCHPOST_API_KEY
      expect((await server.call('/api/v1/me', { key })).status).toBe(200)
      await server.stop()
    }
    const { stdout } = await watchpost.run(['keys', 'list'], options)
    expect(stdout.match(/a-key-of/g)).toHaveLength(1)
  })

  it('leaves a key revoked that was revoked, and tells of an earlier key that still works', async () => {
    const cwd = folder()
    const serveWith = (key: string) => watchpost.serve({ cwd, env: { WATCHPOST_API_KEY: key } })
    await (await serveWith('the-first-key-of-all')).stop()
    await watchpost.run(['keys', 'revoke', '1'], { cwd })
    const revoked = await serveWith('the-first-key-of-all')
    expect((await revoked.call('/api/v1/me', { key: 'the-first-key-of-all' })).status).toBe(401)
    expect(revoked.stderr()).toContain('WATCHPOST_API_KEY is a key that was revoked')
    await revoked.stop()
    await (await serveWith('second-key-of-mine')).stop()
    const third = await serveWith('third-key-of-mine')
    expect(third.stderr()).toContain('watchpost keys revoke 2')
  })
})

describe('serve', () => {
  it('keeps monitors and keys over kill -9', async () => {
    const cwd = folder()
    const first = await watchpost.serve({ cwd })
    await first.call('/api/v1/monitors', { body: HEARTBEAT })
    expect(await first.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    const second = await watchpost.serve({ cwd })
    const { body } = await second.call('/api/v1/monitors', { key: first.key })
    expect(body.monitors).toMatchObject([{ id: 1, name: 'Backup', state: 'pending' }])
  })

  it('has health for machines and a page for people', async () => {
    const server = await watchpost.serve()
    const health = await fetch(`${server.url}/healthz`)
    expect(health.status).toBe(200)
    expect(await health.json()).toMatchObject({ ok: true, running: true, monitors: 0 })
    const page = await fetch(server.url)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('<h1>Sign in</h1>')
    expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404)
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(405)
    expect((await server.call('/api/v1/monitors', { key: 'none' })).status).toBe(401)
  })

  it('shows the monitors of a tag to everybody, and the others to nobody without a key', async () => {
    const env = { WATCHPOST_PUBLIC_TAG: 'open' }
    const server = await watchpost.serve({ env })
    await server.call('/api/v1/monitors', { body: { ...HEARTBEAT, name: 'Shop', tags: ['open'] } })
    await server.call('/api/v1/monitors', { body: { ...HEARTBEAT, name: 'Secret' } })
    const shown = await (await fetch(`${server.url}/status/open`)).text()
    expect(shown).toContain('Shop')
    expect(shown).not.toContain('Secret')
    const key = new URLSearchParams({ key: server.key })
    const signedIn = await fetch(`${server.url}/sign-in`, {
      method: 'POST',
      body: key,
      redirect: 'manual',
      headers: { Origin: server.url },
    })
    const [session = ''] = signedIn.headers.getSetCookie()
    const headers = { Cookie: session.split(';')[0] ?? '' }
    expect(await (await fetch(server.url, { headers })).text()).toContain('Secret')
    // A page that is open in a browser does not keep the server from ending.
    const events = await fetch(`${server.url}/events?monitors=1`, { headers })
    expect(events.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(await events.text()).toContain('retry:')
  })

  it('bounds the size of request headers', async () => {
    const server = await watchpost.serve()
    const headers = { 'X-Long': 'x'.repeat(17_000) }
    expect((await fetch(`${server.url}/healthz`, { headers })).status).toBe(431)
  })

  it('is reached by 700 clients at once while it is busy', async ({ skip }) => {
    const limit = '/proc/sys/net/core/somaxconn'
    const places = existsSync(limit) ? Number(readFileSync(limit, 'utf8')) : 0
    if (places < 700) skip('this kernel keeps fewer connections for a server that is busy')
    const server = await watchpost.serve()
    const port = Number(new URL(server.url).port)
    server.child.kill('SIGSTOP')
    const sockets = Array.from({ length: 700 }, () => connect({ host: '127.0.0.1', port }))
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    server.child.kill('SIGCONT')
    expect(await statusOf(`${server.url}/healthz`)).toBe(200)
  })

  it('speaks the language that comes first, with times in the zone that it was given', async () => {
    const env = { WATCHPOST_LANGUAGES: 'de, en', WATCHPOST_TIME_ZONE: 'Asia/Tokyo' }
    const server = await watchpost.serve({ env })
    const page = async (accepted: string): Promise<string> =>
      (await fetch(server.url, { headers: { 'Accept-Language': accepted } })).text()
    expect(await page('fr')).toMatch(/<html\s+lang="de"[^>]*\sdata-time-zone="Asia\/Tokyo"/)
    expect(await page('en')).toContain('<h1>Sign in</h1>')
  })

  it('goes on when nobody reads its output any more', async () => {
    const { port } = await freePorts(['port'])
    const running = watchpost.start(['serve', '--port', String(port)])
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    const url = `http://127.0.0.1:${port}/healthz`
    await expect.poll(() => statusOf(url)).toBe(200)
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0 })
  })
})

describe('the end of serve', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'is in order at %s: exit 0, the file is free',
    async (signal) => {
      const cwd = folder()
      const server = await watchpost.serve({ cwd })
      const ended = await server.stop(signal)
      expect(ended).toMatchObject({ code: 0, signal: null })
      expect(logged(ended.stderr).map(({ msg }) => msg)).toContain('stopped')
      expect(existsSync(join(cwd, 'data/watchpost.db.owner'))).toBe(false)
    },
  )

  it('does not take the twin of a signal for impatience, as npm sends it', async () => {
    const { server } = await withSlowCheck()
    server.child.kill('SIGINT')
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  it('comes at once with a later signal', async () => {
    // It has to be under way when the second signal comes, and is not waited for.
    const { server } = await withSlowCheck(30_000)
    server.child.kill('SIGTERM')
    await server.says(/stopping/)
    // What is tested is that time has passed.
    await systemClock.sleep(1200)
    server.child.kill('SIGINT')
    // In order it would be 0.
    expect(await server.ended).toMatchObject({ code: 130, signal: null })
  })
})

describe('serve refuses to start', () => {
  it('on a port that is in use, with exit 1', async () => {
    const { port } = await listening()
    const ended = await watchpost.run(['serve', '--port', String(port)], { env: QUIET })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(
      `watchpost: port ${port} on 127.0.0.1 is in use; choose another with PORT or --port (0 is any free one)\n`,
    )
  })

  it('on an address that is not of this machine', async () => {
    const ended = await watchpost.run(['serve', '--port', '0', '--host', '192.0.2.1'], {
      env: QUIET,
    })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe(
      'watchpost: 192.0.2.1 is no address of this machine; choose another with HOST or --host\n',
    )
  })

  it('on a data file that another one has, which goes on', async () => {
    const cwd = folder()
    const server = await watchpost.serve({ cwd })
    const ended = await watchpost.run(['serve', '--port', '0'], { cwd, env: QUIET })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: data\/watchpost\.db is in use by process \d+ .*\n$/)
    expect(await statusOf(`${server.url}/healthz`)).toBe(200)
  })

  it.each([
    ['a folder', (path: string) => mkdirSync(path, { recursive: true })],
    [
      'no database',
      (path: string) => {
        writeFileSync(path, 'shopping list '.repeat(500))
      },
    ],
  ])('on a data file that is %s', async (_what, make) => {
    const path = join(folder(), 'it')
    make(path)
    const ended = await watchpost.run(['serve', '--port', '0', '--data', path], { env: QUIET })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: .*\n$/)
    expect(ended.stderr).toContain(path)
  })

  it.each([
    [{ PORT: 'http' }, 'PORT: "http" is no port'],
    [{ PORT: '65536' }, 'PORT: "65536" is no port'],
    [{ PORT: '-1' }, 'PORT: "-1" is no port'],
    [{ HOST: 'http://x' }, 'HOST: "http://x" is no address'],
    [{ WATCHPOST_DATA: ' ' }, 'WATCHPOST_DATA: a path is expected'],
    [
      { DATABASE_URL: 'mysql://u:hidden@db/x' },
      'DATABASE_URL: postgres://user:password@host:5432/database is expected',
    ],
    [{ REDIS_URL: 'http://:hidden@r' }, 'REDIS_URL: redis://user:password@host:6379/0 is expected'],
    [{ REDIS_URL: 'redis://:hidden@r' }, 'REDIS_URL needs WATCHPOST_SECRET_KEY'],
    [{ WATCHPOST_API_KEY: 'hidden' }, 'WATCHPOST_API_KEY: 16 to 512 characters'],
    [{ WATCHPOST_API_KEY: 'hidden with some spaces' }, 'WATCHPOST_API_KEY: 16 to 512 characters'],
    [{ WATCHPOST_SECRET_KEY: 'hidden' }, 'WATCHPOST_SECRET_KEY: the base64 of 32 bytes'],
    [{ WATCHPOST_CHECKS: '0' }, 'WATCHPOST_CHECKS: "0" is no number from 1 to 10000'],
    [{ WATCHPOST_CHECKS_PER_HOST: 'two' }, 'WATCHPOST_CHECKS_PER_HOST: "two" is no number'],
    [{ WATCHPOST_LANGUAGES: 'de,fr' }, 'WATCHPOST_LANGUAGES: "de,fr" is no list of en, de'],
    [{ WATCHPOST_LANGUAGES: 'de,de' }, 'WATCHPOST_LANGUAGES: "de,de" is no list of en, de'],
    [{ WATCHPOST_TIME_ZONE: 'Oslo' }, 'WATCHPOST_TIME_ZONE: "Oslo" is no IANA time zone'],
    [{ WATCHPOST_TARGETS: 'some' }, 'WATCHPOST_TARGETS: "some" is neither'],
    [{ WATCHPOST_WEBHOOK_ALLOW: '10.0.0.0/8,ten' }, 'WATCHPOST_WEBHOOK_ALLOW: "ten" is not a CIDR'],
    [{ WATCHPOST_LOCATIONS: 'a,,b' }, 'WATCHPOST_LOCATIONS: "a,,b" has an empty entry'],
    [{ WATCHPOST_LOCATIONS: 'a, a' }, 'WATCHPOST_LOCATIONS: "a" is named twice'],
    [{ WATCHPOST_CONTACTS: 'none.json' }, 'WATCHPOST_CONTACTS: none.json: cannot be read'],
    [{ WATCHPOST_BASE_URL: 'example.com' }, 'WATCHPOST_BASE_URL: "example.com" is no address'],
    [
      { WATCHPOST_BASE_URL: 'https://u:hidden@example.com/?key=hidden' },
      'WATCHPOST_BASE_URL: "***@example.com/?…" is no address',
    ],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: "loud" is no level'],
  ])('for %o, with one line and exit 64', async (env, problem) => {
    const ended = await watchpost.run(['serve'], { env: { PORT: '0', ...QUIET, ...env } })
    expect(ended).toMatchObject({ code: 64, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: .*\n$/)
    expect(ended.stderr).toContain(problem)
    expect(ended.stderr).not.toContain('hidden')
  })

  it.each([
    [['--port', 'x'], '--port: "x" is no port'],
    [['--host='], '--host: "" is no address'],
    [['--log-level', 'loud'], '--log-level: "loud" is no level'],
    [['--prot', '1'], "Unknown option '--prot'"],
    [['now'], 'serve takes no "now"'],
  ])('for %j, with one line and exit 64', async (args, problem) => {
    const ended = await watchpost.run(['serve', ...args])
    expect(ended).toMatchObject({ code: 64, stdout: '' })
    expect(ended.stderr).toMatch(/^watchpost: .*\n$/)
    expect(ended.stderr).toContain(problem)
  })
})

describe('a setting of serve', () => {
  it('is taken from its flag before its variable; an empty variable is none', async () => {
    const cwd = folder()
    const env = {
      PORT: 'nonsense',
      WATCHPOST_DATA: 'one.db',
      DATABASE_URL: '',
      LOG_LEVEL: 'silent',
    }
    const server = await watchpost.serve({ cwd, env, args: ['--data', 'deep/two.db'] })
    expect(existsSync(join(cwd, 'deep/two.db'))).toBe(true)
    expect(existsSync(join(cwd, 'one.db'))).toBe(false)
    expect(server.stdout()).toContain('data in deep/two.db')
  })

  it('HOST: the address in the printed line can be called as it is', async () => {
    const server = await watchpost.serve({ env: { HOST: 'localhost' } })
    expect(server.url).toMatch(/^http:\/\/localhost:\d+$/)
    expect(await statusOf(`${server.url}/healthz`)).toBe(200)
  })

  it.each([
    [{}, /^http:\/\/127\.0\.0\.1:\d+\/hb\//],
    [{ WATCHPOST_BASE_URL: 'https://watch.example.com/' }, /^https:\/\/watch\.example\.com\/hb\//],
    // Nobody can call 0.0.0.0.
    [{ HOST: '0.0.0.0' }, /^\/hb\//],
  ])('%o: ping_url matches %s', async (env, pattern) => {
    const server = await watchpost.serve({ env })
    const { body } = await server.call('/api/v1/monitors', { body: HEARTBEAT })
    expect(body.monitor.ping_url).toMatch(pattern)
  })

  it('WATCHPOST_LOCATIONS: each has a check of its own', async () => {
    const server = await watchpost.serve({ env: { WATCHPOST_LOCATIONS: 'here, there' } })
    const { body } = await server.call('/api/v1/locations')
    expect(body.locations).toMatchObject([{ name: 'here' }, { name: 'there' }])
  })

  it.each([
    ['open', 'connect_refused'],
    ['public', 'connect_blocked'],
  ])('WATCHPOST_TARGETS=%s: a check of this machine ends with %s', async (targets, cause_code) => {
    const server = await watchpost.serve({ env: { WATCHPOST_TARGETS: targets } })
    const { port } = await freePorts(['port'])
    const { id } = await created(server, { type: 'tcp', name: 'x', host: '127.0.0.1', port })
    const { body } = await server.call(`/api/v1/monitors/${id}/check?wait=1`, { method: 'POST' })
    expect(body.results).toMatchObject([{ verdict: 'fail', cause_code }])
  })

  it.each([
    [{ WATCHPOST_CHECKS_PER_HOST: '3' }, 'ok'],
    [{}, 'fail'],
    [{ WATCHPOST_CHECKS: '2', WATCHPOST_CHECKS_PER_HOST: '3' }, 'fail'],
  ])('%o: three checks of a host that answers three at once end with %s', async (env, verdict) => {
    const asked = new Set<Socket>()
    const target = createServer((socket) => {
      asked.add(socket.on('error', () => undefined).resume())
      for (const event of ['end', 'close']) socket.once(event, () => asked.delete(socket))
      // On a busy machine the ends of earlier connections are read in the same turn, and after this one.
      setImmediate(() => {
        if (asked.size < 3) return
        for (const each of asked) each.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void target.close())
    await once(target, 'listening')
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`
    const server = await watchpost.serve({ env })
    // Only a check that fails waits for its deadline.
    const input = { type: 'http', url, timeout_ms: verdict === 'ok' ? 30_000 : 4000 }
    const monitors = await Promise.all([1, 2, 3].map(() => created(server, input)))
    const isChecked = async ({ id }: { readonly id: number }) =>
      (await server.call(`/api/v1/monitors/${id}`)).body.monitor.last_check_at !== null
    // One that is asked for joins the check of its creation if that runs, and the other two are left alone.
    if (verdict === 'ok')
      for (const each of monitors) await expect.poll(() => isChecked(each), POLITELY).toBe(true)
    const [first] = await Promise.all(
      monitors.map(({ id }) =>
        server.call(`/api/v1/monitors/${id}/check?wait=1`, { method: 'POST' }),
      ),
    )
    expect(first?.body.results).toMatchObject([{ verdict }])
  })

  it('WATCHPOST_SECRET_KEY: secrets are not in the file, which is of no use without the key', async () => {
    const cwd = folder()
    const env = { WATCHPOST_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
    const server = await watchpost.serve({ cwd, env })
    const auth = { user: 'me', pass: 'a-long-password' }
    await created(server, { type: 'http', name: 'x', url: server.url, auth })
    await server.stop()
    const file = readFileSync(join(cwd, 'data/watchpost.db'), 'latin1')
    expect(file).not.toContain(auth.pass)
    const other = { WATCHPOST_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') }
    for (const changed of [{}, other]) {
      const ended = await watchpost.run(['serve'], {
        cwd,
        env: { PORT: '0', ...QUIET, ...changed },
      })
      expect(ended).toMatchObject({ code: 64, stdout: '' })
      expect(ended.stderr).toMatch(/^watchpost: WATCHPOST_SECRET_KEY: .* secret key.*\n$/)
    }
    await watchpost.serve({ cwd, env })
  })

  it('LOG_LEVEL: silent says nothing, and other output is JSON where nobody sits at a terminal', async () => {
    const quiet = await watchpost.serve({ env: { LOG_LEVEL: 'silent' } })
    expect((await quiet.stop()).stderr).toBe('')
    const server = await watchpost.serve({ env: { WATCHPOST_TARGET: 'public' } })
    const lines = logged((await server.stop()).stderr)
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', name: 'WATCHPOST_TARGET' }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'info', msg: 'stopped', time: expect.stringMatching(/Z$/) }),
    )
  })

  it('warns once of a Node that gets no more fixes', async () => {
    const server = await watchpost.serve()
    const warnings = logged((await server.stop()).stderr).filter(({ node }) => node !== undefined)
    expect(warnings).toHaveLength(parseInt(process.versions.node, 10) < 22 ? 1 : 0)
  })
})

const QUIET = { LOG_LEVEL: 'error' }

/** A key has sixty requests a minute. */
const POLITELY = { interval: 1000 }

async function listening(): Promise<AddressInfo> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server.address() as AddressInfo
}

async function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  )
}

function logged(stderr: string): Record<string, unknown>[] {
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function created(server: Server, input: object): Promise<{ readonly id: number }> {
  const { status, body } = await server.call('/api/v1/monitors', { body: input })
  expect(status).toBe(201)
  return body.monitor as { id: number }
}

/** A server with a check under way that takes so long to fail. */
async function withSlowCheck(timeout_ms = 4000): Promise<{ readonly server: Server }> {
  const silent = createServer()
  const asked = once(silent, 'connection')
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  const server = await watchpost.serve()
  const url = `http://127.0.0.1:${port}/`
  await created(server, { type: 'http', name: 'slow', url, timeout_ms })
  await asked
  return { server }
}
