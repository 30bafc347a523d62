import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { readWords } from '../../src/cli/check/words.ts'
import type { AnyField, FieldTable } from '../../src/fields/field.ts'
import type { Outcome } from '../../src/model.ts'
import { commandLine, folder } from '../support/command-line.ts'
import { withDeadline } from '../support/deadlines.ts'
import { freePorts } from '../support/servers/ports.ts'

const watchpost = commandLine()
/** An installation without what only some types need. */
const slim = commandLine({ without: ['basic-ftp'] })

describe('watchpost check', () => {
  it('exits with 0 for a target that works: verdict, phases and details', async () => {
    const { url } = await website()
    const words = ['check', 'http', `url=${url}`, '--verbose']
    const { code, stdout, stderr } = await watchpost.run(words)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [verdict, ...rest] = stdout.split('\n')
    expect(verdict).toMatch(/^OK http http:\/\/127\.0\.0\.1:\d+\/ \([\d.]+ ms, 127\.0\.0\.1\)$/)
    expect(rest.join('\n')).toMatch(/^ {2}connect +█+ +[\d.]+ ms$/m)
    expect(rest.join('\n')).toMatch(/^ {2}Status code +200$/m)
    expect(rest.join('\n')).toMatch(/^ {2}body_bytes +5$/m)
  })

  it('exits with 2 for a target that fails, the cause on the first line', async () => {
    const { port } = await freePorts(['port'])
    const ended = await watchpost.run(['check', 'tcp', 'host=127.0.0.1', `port=${port}`])
    expect(ended).toMatchObject({ code: 2, stderr: '' })
    const [verdict, , meaning, , waterfall] = ended.stdout.split('\n')
    expect(verdict).toMatch(
      /^FAIL tcp .*\(connect_refused during connect; [\d.]+ ms, 127\.0\.0\.1\)$/,
    )
    expect(meaning).toBe('  It failed while connecting.')
    expect(waterfall).toMatch(/^ {2}connect +█+ +[\d.]+ ms {2}← here$/)
  })

  it('exits with 3 where our side could not measure, and says what is missing', async () => {
    const words = ['host=127.0.0.1', 'user=me', 'pass=secret']
    const ended = await slim.run(['check', 'ftp', ...words])
    expect(ended).toMatchObject({ code: 3, stderr: '' })
    expect(ended.stdout).toMatch(/^UNKNOWN ftp 127\.0\.0\.1.*npm install basic-ftp/)
  })

  it('takes the address without the name of its setting, a port behind a colon', async () => {
    const { url } = await website()
    const { port } = new URL(url)
    const site = await watchpost.run(['check', 'http', `${url}?a=b`, 'expected_status=200'])
    expect(site).toMatchObject({ code: 0, stderr: '' })
    expect(site.stdout).toContain(`OK http ${url}?a=b `)
    const socket = await watchpost.run(['check', 'tcp', `127.0.0.1:${port}`])
    expect(socket.stdout).toContain(`OK tcp 127.0.0.1:${port} `)
    const asked = await watchpost.run(['check', 'tcp', '127.0.0.1', `port=${port}`])
    expect(asked.stdout).toContain(`OK tcp 127.0.0.1:${port} `)
  })

  it('--json prints the outcome and nothing else', async () => {
    const { url } = await website()
    const ended = await watchpost.run(['check', 'http', `url=${url}`, '--json'])
    const outcome = JSON.parse(ended.stdout) as Outcome
    expect(Object.keys(outcome)).toEqual([
      'verdict',
      'cause_code',
      'cause_text',
      'phase',
      'started_at',
      'duration_ms',
      'response_ms',
      'phases',
      'remote_ip',
      'details',
    ])
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, remote_ip: '127.0.0.1' })
    expect(ended.stdout.match(/\n/g)).toHaveLength(1)
  })

  it('takes JSON as JSON, nests dotted keys, and leaves text to fields of text', async () => {
    const { url, requests } = await website()
    const ended = await watchpost.run([
      'check',
      'http',
      `url=${url}`,
      'expected_status=200',
      'size_max=1000',
      'follow_redirects=false',
      'auth.user=me',
      'auth.pass=1234',
      'headers.X-Number=7',
      'user_agent="quoted"',
    ])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('me:1234').toString('base64')}`,
      'x-number': '7',
      'user-agent': 'quoted',
    })
  })

  describe('a value that does not stand on the command line', () => {
    const basic = (pass: string) => `Basic ${Buffer.from(`me:${pass}`).toString('base64')}`

    it('comes from the environment, a file or stdin, without the line break at its end', async () => {
      const { url, requests } = await website()
      const file = join(folder(), 'secret')
      writeFileSync(file, 'of a file\r\n')
      const site = ['check', 'http', `url=${url}`, 'auth.user=me']
      const given = { env: { SHOP_PASS: '{"a":1}' }, input: 'of stdin \n' }
      for (const source of ['env:SHOP_PASS', `file:${file}`, '-']) {
        const ended = await watchpost.run([...site, `auth.pass@=${source}`], given)
        expect(ended, source).toMatchObject({ code: 0, stderr: '' })
      }
      const headers = ['headers.X-Tok@=env:SHOP_PASS', 'expected_status@=-']
      const ended = await watchpost.run(['check', 'http', `url=${url}`, ...headers], {
        ...given,
        input: '200\n',
      })
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(requests.map((request) => request.headers.authorization)).toEqual([
        basic('{"a":1}'),
        basic('of a file'),
        basic('of stdin '),
        undefined,
      ])
      expect(requests[3]?.headers['x-tok']).toBe('{"a":1}')
    })

    it('a value that only looks like a source is taken as it stands', async () => {
      const { url, requests } = await website()
      await watchpost.run(['check', 'http', `url=${url}`, 'auth.user=me', 'auth.pass=env:HOME'])
      expect(requests[0]?.headers.authorization).toBe(basic('env:HOME'))
    })

    it.each([
      ['auth.pass@=env:NOBODY', 'there is no such variable in the environment'],
      ['auth.pass@=env:EMPTY', 'it is empty'],
      ['auth.pass@=file:/no/such/file', 'cannot be read: ENOENT'],
      ['auth.pass@=file:/', 'cannot be read: EISDIR'],
      ['auth.pass@=file:/dev/zero', 'cannot be read: it has more than 262144 bytes'],
      ['auth.pass@=file:/bin/ls', 'cannot be read: it is not UTF-8'],
      ['auth.pass@=-', 'it is empty'],
      ['auth.pass@=s3cret', 'env:NAME, file:PATH or - (stdin) is expected behind @='],
    ])('%s is refused: one line, exit 64, no request', async (word, problem) => {
      const ended = await watchpost.run(['check', 'http', 'url=http://127.0.0.1:1/', word], {
        env: { EMPTY: '\n' },
      })
      expect(ended).toMatchObject({ code: 64, stdout: '' })
      expect(ended.stderr).toMatch(/^watchpost: auth\.pass@=.*\n$/)
      expect(ended.stderr).toContain(problem)
      expect(ended.stderr).not.toContain('s3cret')
    })

    it('stdin is there for one value only', async () => {
      const words = ['url=http://127.0.0.1:1/', 'auth.pass@=-', 'body@=-']
      const ended = await watchpost.run(['check', 'http', ...words], { input: 'x' })
      expect(ended).toMatchObject({ code: 64, stdout: '' })
      expect(ended.stderr).toBe('watchpost: body@=-: auth.pass is read from stdin already\n')
    })
  })

  it('names every wrong setting on a line of its own', async () => {
    const { code, stdout, stderr } = await watchpost.run([
      'check',
      'tcp',
      'port=0',
      'prot=1',
      '__proto__=1',
    ])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual([
      '__proto__',
      'host',
      'port',
      'prot',
    ])
    expect(lines).toContain('host: required')
  })

  it('asks back where a setting is misspelt', async () => {
    const words = ['http', 'https://127.0.0.1:1/', 'expected_staus=200', 'auth.usr=me']
    const { code, stderr } = await watchpost.run(['check', ...words])
    expect(code).toBe(64)
    expect(stderr.split('\n').sort()).toEqual([
      '',
      'auth.usr: unknown_field: did you mean "auth.user"?',
      'expected_staus: unknown_field: did you mean "expected_status"?',
    ])
  })

  it.each([
    [[], 'a type is expected; there are http, '],
    [['htp'], 'there is no type "htp"; there are http, '],
    [['http', 'url=http://a', 'follow'], '"follow": url is given twice'],
    [['tcp', 'a:1', 'b:2'], '"b:2": host is given twice'],
    [['tcp', 'port=2', 'a:1'], '"a:1": port is given twice'],
    [['http', '=1'], '"=1" is not of the form key=value'],
    [['http', 'url=http://a', 'timeout_ms=500'], '--timeout-ms'],
    [['http', 'url=http://a', '--timeout-ms', 'soon'], '--timeout-ms: "soon": 1 to 600000 milli'],
    [['http', 'url=http://a', '--timeout-ms=0'], '--timeout-ms: "0": 1 to 600000 milliseconds'],
    [['http', 'url=http://a', '--watch=0.5'], '--watch: "0.5": 1 to 86400 seconds are expected'],
    [['http', 'url=http://a', '--watch=1', '--count=x'], '--count: "x": 1 to 100000 checks'],
    [['http', 'url=http://a', '--count=3'], '--count goes with --watch'],
    [['http', 'url=http://a', '--targets', 'all'], '--targets: "all" is neither open nor public'],
    [['heartbeat'], 'heartbeat waits for calls of your job'],
  ])('%j is wrong usage: one line, exit 64', async (args, problem) => {
    const { code, stdout, stderr } = await watchpost.run(['check', ...args])
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toMatch(/^watchpost: .*\n$/)
    expect(stderr).toContain(problem)
  })

  it.each([
    [['url=http://a', 'url=http://b'], 'url: invalid: given twice\n'],
    [['auth=1', 'auth.user=a'], 'auth.user: invalid: given twice\n'],
    [['auth.user=a', 'auth={}'], 'auth: invalid: given twice\n'],
  ])('refuses a setting that is given twice: %j', async (words, problem) => {
    const { code, stderr } = await watchpost.run(['check', 'http', ...words])
    expect({ code, stderr }).toEqual({ code: 64, stderr: problem })
  })

  it('knows every type', async () => {
    const { stderr } = await watchpost.run(['check'])
    const types = builtinCheckers({ extra: true }).map(({ type }) => type)
    expect(stderr).toContain(`there are ${types.join(', ')}`)
  })

  it('keeps to public targets where WATCHPOST_TARGETS says so, unless the flag says otherwise', async () => {
    const { url } = await website()
    const env = { WATCHPOST_TARGETS: 'public' }
    const blocked = await watchpost.run(['check', 'http', `url=${url}`, '--json'], { env })
    expect(JSON.parse(blocked.stdout)).toMatchObject({
      verdict: 'fail',
      cause_code: 'connect_blocked',
    })
    const open = await watchpost.run(['check', 'http', `url=${url}`, '--targets', 'open'], { env })
    expect(open.code).toBe(0)
  })

  it('ends at its deadline', async () => {
    const { port } = await listening(createTcpServer())
    const words = ['check', 'http', `url=http://127.0.0.1:${port}`, '--json']
    await withDeadline(300, async (timeout_ms) => {
      const ended = await watchpost.run([...words, `--timeout-ms=${timeout_ms}`])
      expect(ended.code).toBe(2)
      expect(JSON.parse(ended.stdout)).toMatchObject({ cause_code: 'http_response_timeout' })
    })
  })

  it('lets no server write control characters to the terminal', async () => {
    const server = createTcpServer((socket) => socket.end('\u001b[2J\u009b31mhello\u0007\r\n'))
    const { port } = await listening(server)
    const words = ['host=127.0.0.1', `port=${port}`, 'banner_regex=nothing']
    const { code, stdout } = await watchpost.run(['check', 'tcp', ...words])
    expect(code).toBe(2)
    expect(stdout).toContain('hello')
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  it('keeps its exit code when nobody reads what it prints', async () => {
    const { url } = await website()
    const running = watchpost.start(['check', 'http', `url=${url}`])
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, signal: null })
  })
})

describe('watchpost check --watch', () => {
  const LINE = /^\d{4}-\S+Z {2}(OK|FAIL) +[\d.]+ ms {2}127\.0\.0\.1(?: {2}(\w+): .+)?$/

  it('makes as many checks as it was told, and says what they came to', async () => {
    const { url, requests, fails } = await website()
    fails.add(2)
    const words = ['check', 'http', `url=${url}`, '--watch', '1', '--count', '2']
    const { code, stdout } = await watchpost.run(words)
    const [first = '', second = '', blank, ...summary] = stdout.trimEnd().split('\n')
    expect(LINE.exec(first)?.slice(1)).toEqual(['OK', undefined])
    expect(LINE.exec(second)?.slice(1)).toEqual(['FAIL', 'http_status'])
    expect(blank).toBe('')
    expect(summary).toEqual([
      `--- http ${url}`,
      expect.stringMatching(/^2 checks in [1-9]\S* s: 1 ok, 1 failing, 0 unknown, 50 % ok$/),
      expect.stringMatching(/^time of the good ones: min\/avg\/max\/stddev [\d./]+ ms$/),
      '  http_status  1',
    ])
    expect(requests).toHaveLength(2)
    expect(code).toBe(2)
  })

  it('ends with its summary at Ctrl-C, and does not count what that cut off', async () => {
    const { url, fails } = await website()
    fails.add('silent after 1')
    const running = watchpost.start(['check', 'http', `url=${url}`, '--watch', '1'])
    await running.says(/ OK /)
    running.child.kill('SIGINT')
    const { code, stdout } = await running.ended
    expect(stdout).toContain('\n1 check in ')
    expect(stdout).toContain(': 1 ok, 0 failing, 0 unknown, 100 % ok\n')
    expect(code).toBe(0)
  })

  it('--json prints an outcome per line and nothing else', async () => {
    const { port } = await freePorts(['port'])
    const words = ['host=127.0.0.1', `port=${port}`, '--watch=1', '--count=1', '--json']
    const { code, stdout } = await watchpost.run(['check', 'tcp', ...words])
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'fail', cause_code: 'connect_refused' })
    expect(code).toBe(2)
  })

  it('ends when nobody reads any more', async () => {
    const { url } = await website()
    const running = watchpost.start(['check', 'http', `url=${url}`, '--watch', '1'])
    await running.says(/ OK /)
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, signal: null })
  })

  it('exits with 3 where one could not be measured', async () => {
    const words = ['host=127.0.0.1', 'user=me', 'pass=secret', '--watch=1', '--count=1']
    const { code, stdout } = await slim.run(['check', 'ftp', ...words])
    expect(stdout).toMatch(/ UNKNOWN .*npm install basic-ftp/)
    expect(code).toBe(3)
  })
})

async function listening(server: Server): Promise<{ readonly port: number }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port }
}

async function website() {
  const requests: IncomingMessage[] = []
  /** Requests, counted from one, that are answered with 500; or all after the first, with nothing. */
  const fails = new Set<number | 'silent after 1'>()
  const server = createServer((req, res) => {
    requests.push(req)
    if (fails.has('silent after 1') && requests.length > 1) return
    if (fails.has(requests.length)) res.statusCode = 500
    res.end('hello')
  })
  const { port } = await listening(server)
  return { url: `http://127.0.0.1:${port}/`, requests, fails }
}

describe('the address by itself', () => {
  const addressed = builtinCheckers({ extra: true }).filter(({ fields }) =>
    Object.values<AnyField>(fields).some(({ presence }) => presence === 'required'),
  )
  it.each(addressed)('is the first required setting of $type', async ({ type, fields }) => {
    const table: FieldTable = fields
    const [first = ''] = Object.keys(table).filter((name) => table[name]?.presence === 'required')
    const settings = await readWords(table, ['x.example'], () => Promise.reject(new Error()))
    expect(settings).toEqual({ [first]: 'x.example' })
    expect(['url', 'host', 'dns_name', 'domain', 'target'], type).toContain(first)
  })

  it.each([
    ['db.example:5432', { host: 'db.example', port: 5432 }],
    ['[2001:db8::1]:80', { host: '[2001:db8::1]', port: 80 }],
    ['2001:db8::1', { host: '2001:db8::1' }],
    ['db.example', { host: 'db.example' }],
  ])('%s is %j', async (word, expected) => {
    const words = await readWords(tcp().fields, [word], () => Promise.reject(new Error()))
    expect(words).toEqual(expected)
  })
})
