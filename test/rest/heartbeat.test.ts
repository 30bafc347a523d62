import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { MESSAGE_LIMIT_BYTES } from '../../src/rest/heartbeat.ts'
import { client } from './client.ts'

async function setUp(options: Parameters<typeof client>[0] = {}) {
  const made = client(options)
  await made.create({ type: 'heartbeat', name: 'Backup' })
  const { monitor } = (await made.ask('GET', '/api/v1/monitors/1')).body
  const address = `/hb/${monitor.token}`
  const ping = (method: string, rest: string, asked: object = {}) =>
    made.ask(method, address + rest, { key: null, ...asked })
  return { ...made, ping }
}

describe('the heartbeat address', () => {
  it.each(['GET', 'POST'])(
    'takes %s without a key and tells when the next is expected',
    async (method) => {
      const { ping, signals } = await setUp()
      const { status, headers, body } = await ping(method, '')
      expect(status).toBe(200)
      expect(body).toEqual({ ok: true, state: 'up', next_expected_at: null })
      expect(headers.get('cache-control')).toBe('no-store')
      expect(signals).toEqual([{ kind: 'success' }])
    },
  )

  it('takes HEAD for no signal: that is how link previews and scanners ask', async () => {
    const { ping, signals } = await setUp()
    const { status, text, headers } = await ping('HEAD', '')
    expect([status, text, headers.get('allow')]).toEqual([405, '', 'GET, POST'])
    expect(signals).toEqual([])
  })

  it.each([
    ['/start', { kind: 'start' }],
    ['/fail', { kind: 'fail' }],
    ['/log', { kind: 'log' }],
    ['/0', { kind: 'success', exit_code: 0 }],
    ['/1', { kind: 'fail', exit_code: 1 }],
    ['/255', { kind: 'fail', exit_code: 255 }],
  ])('with %s is another signal', async (suffix, signal) => {
    const { ping, signals } = await setUp()
    expect((await ping('GET', suffix)).status).toBe(200)
    expect(signals).toEqual([signal])
  })

  it.each(['/256', '/-1', '/1.5', '/1e2', '/stop', '/START'])(
    'refuses %s with 400',
    async (suffix) => {
      const { ping, signals } = await setUp()
      const { status, body } = await ping('GET', suffix)
      expect([status, body.error, signals]).toEqual([400, 'bad_signal', []])
      expect(body.message).toBe(
        'After the token: nothing, start, fail, log, or an exit code from 0 to 255',
      )
    },
  )

  it('takes the id of the run, a message and the duration', async () => {
    const { ping, signals } = await setUp()
    await ping('GET', '?rid=run-1&msg=3%20files&duration_ms=1500')
    expect(signals).toEqual([
      { kind: 'success', run_id: 'run-1', message: '3 files', duration_ms: 1500 },
    ])
  })

  it('keeps the body as the message, whatever its type', async () => {
    const { ping, signals } = await setUp()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      await ping('POST', '/fail?msg=unused', {
        body: '{not json',
        headers: { 'content-type': type },
      })
    }
    expect(signals.map(({ message }) => message)).toEqual(Array(3).fill('{not json'))
  })

  it('cuts a long message between two characters instead of refusing it', async () => {
    const { ping, signals } = await setUp()
    const { status } = await ping('POST', '', { body: `x${'ä'.repeat(MESSAGE_LIMIT_BYTES)}` })
    const message = signals[0]?.message ?? ''
    expect(status).toBe(200)
    expect(Buffer.byteLength(message)).toBe(MESSAGE_LIMIT_BYTES - 1)
    expect(message).toMatch(/^xä+$/)
  })

  it('keeps nothing that a store could not: no NUL, no half of a character', async () => {
    const { ping, signals } = await setUp()
    await ping('GET', `?rid=${'r'.repeat(199)}%F0%9F%98%80&msg=a%00b`)
    await ping('POST', '', { body: new Uint8Array([0x61, 0, 0xff, 0x62]) })
    expect(signals).toEqual([
      { kind: 'success', run_id: 'r'.repeat(199), message: 'ab' },
      { kind: 'success', message: 'a\ufffdb' },
    ])
  })

  it('shows where the message of a job ends amid a character', async () => {
    const { ping, signals } = await setUp()
    await ping('POST', '', { body: new Uint8Array([0x61, 0xe2, 0x82]) })
    expect(signals).toEqual([{ kind: 'success', message: 'a\ufffd' }])
  })

  it('does not lose a signal for a parameter that makes no sense', async () => {
    const { ping, signals } = await setUp()
    await ping('GET', `?duration_ms=long&rid=${'r'.repeat(1000)}`)
    expect(signals).toEqual([{ kind: 'success', run_id: 'r'.repeat(200) }])
    for (const duration of ['15ms', 't15', '-1', '1.5', '1234567890123'])
      await ping('GET', `?duration_ms=${duration}`)
    expect(signals.slice(1)).toEqual(Array(5).fill({ kind: 'success' }))
  })

  it.each([
    ['text/plain', 'OK'],
    ['text/plain, */*', 'OK'],
    ['text/plain, application/json', 'OK'],
    ['application/json, text/plain, */*', undefined],
    ['*/*', undefined],
  ])('answers Accept: %s', async (accept, text) => {
    const { ping } = await setUp()
    const answer = await ping('GET', '', { headers: { accept } })
    expect(answer.body === undefined ? answer.text : undefined).toBe(text)
  })

  it.each(['/hb', '/hb/', '/hb/unknown', '/hb/unknown/fail', '/hb/token-1/fail/1', '/hb/%'])(
    'is not found at %s, in the same words',
    async (path) => {
      const { ask } = await setUp()
      const { status, body } = await ask('GET', path, { key: null })
      expect([status, body.error]).toEqual([404, 'not_found'])
    },
  )

  it('says what is not there: the address, or the monitor of the token', async () => {
    const { ask } = await setUp()
    const messageAt = async (path: string) =>
      (await ask('GET', path, { key: null })).body.message as unknown
    expect(await messageAt('/hb/token-1/fail/1')).toBe('There is no such address')
    expect(await messageAt('/hb/unknown')).toBe('There is no such monitor')
  })

  it('refuses the unknown tokens of one client beyond twenty a minute, and never a right one', async () => {
    const { ask, ping, signals } = await setUp({ clientOf: () => '192.0.2.7' })
    const statuses: number[] = []
    for (let n = 0; n < 21; n++)
      statuses.push((await ask('GET', '/hb/unknown', { key: null })).status)
    expect(statuses).toEqual([...Array<number>(20).fill(404), 429])
    expect((await ping('GET', '')).status).toBe(200)
    expect(signals).toHaveLength(1)
  })

  it('counts no failure of its own as an unknown token', async () => {
    const { ping, store } = await setUp({ clientOf: () => '192.0.2.7' })
    const byTokenHash = (): Promise<never> => Promise.reject(new StorageError('disk full'))
    Object.assign(store.monitors, { byTokenHash })
    for (let n = 0; n < 21; n++) expect((await ping('GET', '')).status).toBe(503)
  })

  it.each(['PUT', 'DELETE', 'PATCH'])('does not take %s', async (method) => {
    const { ping } = await setUp()
    const { status, headers, body } = await ping(method, '')
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST'])
    expect(body).toMatchObject({
      ...{ error: 'method_not_allowed', message: 'This address takes GET, POST' },
    })
  })
})
