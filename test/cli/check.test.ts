import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import type { Outcome } from '../../src/model.ts'
import { commandLine } from '../support/command-line.ts'
import { freePorts } from '../support/servers/ports.ts'

const watchpost = commandLine()
/** An installation without what only some types need. */
const slim = commandLine({ without: ['basic-ftp'] })

describe('watchpost check', () => {
  it('exits with 0 for a target that works: verdict, phases and details', async () => {
    const { url } = await website()
    const { code, stdout, stderr } = await watchpost.run(['check', 'http', `url=${url}`])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [verdict, ...rest] = stdout.split('\n')
    expect(verdict).toMatch(/^OK http http:\/\/127\.0\.0\.1:\d+\/ \([\d.]+ ms, 127\.0\.0\.1\)$/)
    expect(rest.join('\n')).toMatch(/^ {2}connect +█+ +[\d.]+ ms$/m)
    expect(rest.join('\n')).toMatch(/^ {2}status +200$/m)
  })

  it('exits with 2 for a target that fails, the cause on the first line', async () => {
    const { port } = await freePorts(['port'])
    const ended = await watchpost.run(['check', 'tcp', 'host=127.0.0.1', `port=${port}`])
    expect(ended).toMatchObject({ code: 2, stderr: '' })
    const [verdict] = ended.stdout.split('\n')
    expect(verdict).toMatch(
      /^FAIL tcp .*\(connect_refused during connect; [\d.]+ ms, 127\.0\.0\.1\)$/,
    )
  })

  it('exits with 3 where our side could not measure, and says what is missing', async () => {
    const words = ['host=127.0.0.1', 'user=me', 'pass=secret']
    const ended = await slim.run(['check', 'ftp', ...words])
    expect(ended).toMatchObject({ code: 3, stderr: '' })
    expect(ended.stdout).toMatch(/^UNKNOWN ftp 127\.0\.0\.1.*npm install basic-ftp/)
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

  it.each([
    [[], 'a type is expected; there are http, '],
    [['htp'], 'there is no type "htp"; there are http, '],
    [['http', 'url'], '"url" is not of the form key=value'],
    [['http', '=1'], '"=1" is not of the form key=value'],
    [['http', 'url=http://a', 'timeout_ms=500'], '--timeout-ms'],
    [['http', 'url=http://a', '--timeout-ms', 'soon'], '--timeout-ms: "soon" is no deadline'],
    [['http', 'url=http://a', '--timeout-ms=0'], '--timeout-ms: "0" is no deadline'],
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
    const types = builtinCheckers().map(({ type }) => type)
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
    const ended = await watchpost.run([
      'check',
      'http',
      `url=http://127.0.0.1:${port}`,
      '--timeout-ms=300',
      '--json',
    ])
    expect(ended.code).toBe(2)
    expect(JSON.parse(ended.stdout)).toMatchObject({ cause_code: 'http_response_timeout' })
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

async function listening(server: Server): Promise<{ readonly port: number }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port }
}

async function website() {
  const requests: IncomingMessage[] = []
  const server = createServer((req, res) => {
    requests.push(req)
    res.end('hello')
  })
  const { port } = await listening(server)
  return { url: `http://127.0.0.1:${port}/`, requests }
}
