import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckerInput } from '../../src/checkers/checker.ts'
import { ping } from '../../src/checkers/ping.ts'
import { ValidationError } from '../../src/errors.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import type { PingBackend } from '../../src/net/icmp/backend.ts'
import { systemPing } from '../../src/net/icmp/system-ping.ts'
import { checkerSuite } from '../../src/testing/checker-suite.ts'
import { check } from '../support/check.ts'
import type { CheckOptions } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { createTestNetwork, noNamespaces } from '../support/namespaces.ts'
import type { TestNetwork } from '../support/namespaces.ts'
import { isAlive, programFolder, realPing, until } from '../support/ping-program.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type PingInput = Omit<CheckerInput<ReturnType<typeof ping>>, 'type'>

const REPORT = (sent: number, ...replies: readonly string[]): string =>
  [
    ...replies.map((reply) => `64 bytes from 127.0.0.1: ${reply} ms`),
    `${sent} packets transmitted, ${replies.length} received, 0% packet loss, time 0ms`,
  ]
    .map((line) => `echo '${line}'`)
    .join('\n')

/** A check of a program that prints this. */
const checkWith = (script: string, input: Partial<PingInput> = {}, options: CheckOptions = {}) =>
  check(
    ping(),
    { host: '127.0.0.1', ...input },
    { ping: systemPing({ path: programFolder({ ping: script }) }), ...options },
  )

describe('the settings of ping', () => {
  const problems = async (input: Record<string, unknown>): Promise<unknown> => {
    try {
      await checkWith(REPORT(1), input)
    } catch (error) {
      return error instanceof ValidationError ? error.fields : error
    }
    return undefined
  }
  it.each([
    [{ host: '-f' }, ['host']],
    [{ host: 'a b' }, ['host']],
    [{ host: 'fe80::1%eth0' }, ['host']],
    [{ count: 0 }, ['count']],
    [{ count: 51 }, ['count']],
    [{ count: 1.5 }, ['count']],
    [{ max_loss_pct: -1 }, ['max_loss_pct']],
    [{ max_loss_pct: 101 }, ['max_loss_pct']],
    [{ max_avg_ms: 0 }, ['max_avg_ms']],
    [{ ip_family: 'ipv5' }, ['ip_family']],
    [{ size: 56 }, ['size']],
  ])('refuse %j', async (input, fields) => {
    expect(Object.keys((await problems(input)) ?? {})).toEqual(fields)
  })

  it('have five packets and a fifth of them lost as their defaults', () => {
    const { count, max_loss_pct, ip_family } = ping().fields
    expect([count.fallback, max_loss_pct.fallback, ip_family.fallback]).toEqual([5, 20, 'auto'])
  })
})

describe('a program that is no ping', () => {
  const line = '64 bytes from 127.0.0.1: icmp_seq=$i ttl=64 time=1 ms'
  it.each([
    ['the same reply without end', `i=1; while :; do echo "${line}"; done`, 'too_long'],
    ['replies without end', `i=1; while :; do echo "${line}"; i=$((i+1)); done`, 'too_long'],
    ['more replies than packets', `for i in 1 2 3; do echo "${line}"; done`, 'probe_unsupported'],
  ])('that prints %s shows nothing of the target', async (_, script, cause_code) => {
    const outcome = await checkWith(script, { count: 2 }, { timeout_ms: 60_000 })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code })
  })
})

describe('ping judges what came back:', () => {
  it.each<[string, string, Partial<PingInput>, string | null]>([
    ['all', REPORT(2, 'icmp_seq=1 ttl=64 time=1', 'icmp_seq=2 ttl=64 time=2'), {}, null],
    ['none', REPORT(5), {}, 'ping_no_reply'],
    [
      'none is a failure whatever loss is allowed',
      REPORT(5),
      { max_loss_pct: 100 },
      'ping_no_reply',
    ],
    ['one of two', REPORT(2, 'icmp_seq=2 ttl=64 time=1'), {}, 'ping_loss'],
    ['as little as is allowed', REPORT(2, 'icmp_seq=2 ttl=64 time=1'), { max_loss_pct: 50 }, null],
    ['one of two', REPORT(2, 'icmp_seq=1 ttl=64 time=1'), { max_loss_pct: 49.9 }, 'ping_loss'],
    ['all in time', REPORT(1, 'icmp_seq=1 ttl=64 time=20'), { max_avg_ms: 20 }, null],
    ['all too late', REPORT(1, 'icmp_seq=1 ttl=64 time=20.1'), { max_avg_ms: 20 }, 'ping_slow'],
    [
      'a loss is told before the time',
      REPORT(2, 'icmp_seq=1 ttl=64 time=99'),
      { max_avg_ms: 20 },
      'ping_loss',
    ],
    [
      'an error on the way, and a reply all the same',
      `echo 'From 10.0.0.1 icmp_seq=1 Destination Host Unreachable'\n${REPORT(1, 'icmp_seq=1 ttl=64 time=1')}`,
      {},
      null,
    ],
    [
      'an error on the way',
      `echo 'From 10.0.0.1 icmp_seq=1 Destination Host Unreachable'\n${REPORT(1)}`,
      {},
      'host_unreachable',
    ],
    [
      'a circle',
      `echo 'From 10.0.0.1 icmp_seq=1 Time to live exceeded'\n${REPORT(1)}`,
      {},
      'ttl_exceeded',
    ],
    ['nothing was sent', REPORT(0), {}, 'probe_overloaded'],
  ])('%s', async (_, script, input, cause_code) => {
    const outcome = await checkWith(script, input)
    expect(outcome.cause_code).toBe(cause_code)
    const ours = cause_code?.startsWith('probe_') === true
    expect(outcome.verdict).toBe(cause_code === null ? 'ok' : ours ? 'unknown' : 'fail')
    const declared = Object.keys(ping().measurements)
    expect(declared).toEqual(expect.arrayContaining(Object.keys(outcome.details)))
  })

  it('measures times, loss, jitter and every packet', async () => {
    const replies = [
      'icmp_seq=1 ttl=57 time=1',
      'icmp_seq=2 ttl=57 time=4',
      'icmp_seq=4 ttl=56 time=1',
    ]
    const { details, cause_text } = await checkWith(REPORT(4, ...replies))
    expect(details).toEqual({
      sent: 4,
      received: 3,
      loss_pct: 25,
      rtt_min_ms: 1,
      rtt_avg_ms: 2,
      rtt_max_ms: 4,
      rtt_stddev_ms: 1.414,
      jitter_ms: 3,
      ttl: 56,
      packets: [1, 4, null, 1],
    })
    expect(cause_text).toBe('1 of 4 packets were not answered (25 %, allowed 20 %)')
  })

  it('duplicates make no loss negative and hide none', async () => {
    const twice = [
      'icmp_seq=1 ttl=64 time=1',
      'icmp_seq=1 ttl=64 time=2',
      'icmp_seq=1 ttl=64 time=3',
    ]
    expect(await checkWith(REPORT(1, ...twice).replace('3 received', '1 received'))).toMatchObject({
      verdict: 'ok',
      details: { sent: 1, received: 1, loss_pct: 0, duplicates: 2, packets: [1] },
    })
    expect(await checkWith(REPORT(2, ...twice).replace('3 received', '1 received'))).toMatchObject({
      cause_code: 'ping_loss',
      details: { loss_pct: 50, duplicates: 2 },
    })
  })

  it('a backend that reports more replies than packets cannot confuse it', async () => {
    const backend: PingBackend = {
      ping: () =>
        Promise.resolve({
          sent: 1,
          replies: [0, 0, 7].map((index) => ({ index, rtt_ms: 1, ttl: null })),
          duplicates: 0,
          error: null,
        }),
    }
    const { details } = await check(ping(), { host: '127.0.0.1' }, { ping: backend })
    expect(details).toMatchObject({ sent: 1, received: 1, loss_pct: 0, packets: [1] })
  })
})

describe('ping asks the addresses of a host', () => {
  /** Answers for one address only; writes down whom it was asked for. */
  const only = (address: string): string => `for last; do :; done
    [ "$last" = ${address} ] || { echo '1 packets transmitted, 0 received, 100% packet loss'; exit 1; }
    ${REPORT(1, 'icmp_seq=1 ttl=64 time=1')}`
  const hosts = { 'two.test': ['2001:db8::1', '192.0.2.7'] }

  it('one after the other, and says which one answered', async () => {
    const outcome = await checkWith(only('192.0.2.7'), { host: 'two.test' }, { hosts })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      remote_ip: '192.0.2.7',
      details: {
        fallback: true,
        attempts: [
          { address: '2001:db8::1', cause_code: 'ping_no_reply' },
          { address: '192.0.2.7', cause_code: null },
        ],
      },
    })
  })

  it('leaves the first one early where it is silent', async () => {
    const silent = `for last; do :; done
      [ "$last" = 2001:db8::1 ] && exec sleep 30
      ${REPORT(1, 'icmp_seq=1 ttl=64 time=1')}`
    await withDeadline(3000, async (timeout_ms) => {
      const options = { hosts, timeout_ms }
      expect(await checkWith(silent, { host: 'two.test' }, options)).toMatchObject({
        verdict: 'ok',
        remote_ip: '192.0.2.7',
      })
    })
  })

  it('of the wanted family only', async () => {
    const input = { host: 'two.test', ip_family: 'ipv6' } as const
    expect(await checkWith(only('192.0.2.7'), input, { hosts })).toMatchObject({
      cause_code: 'ping_no_reply',
      cause_text: 'No reply from two.test to 1 packet',
      remote_ip: '2001:db8::1',
    })
  })

  it('and what stands in the way here counts for less than silence there', async () => {
    const script = `for last; do :; done
      [ "$last" = 2001:db8::1 ] && { echo 'ping: connect: Network is unreachable' >&2; exit 2; }
      echo '1 packets transmitted, 0 received, 100% packet loss'`
    expect(await checkWith(script, { host: 'two.test' }, { hosts })).toMatchObject({
      cause_code: 'ping_no_reply',
      remote_ip: '192.0.2.7',
    })
  })

  it('never one that is not allowed, nor a name', async () => {
    const script = 'echo asked >&2; exit 2'
    const policy = targetPolicy('public')
    expect(await checkWith(script, { host: '127.0.0.1' }, { policy })).toMatchObject({
      verdict: 'fail',
      cause_code: 'connect_blocked',
    })
    const echo = `echo "$*" >&2; exit 2`
    const options = { hosts: { 'one.test': ['192.0.2.7'] } }
    const { cause_text } = await checkWith(echo, { host: 'one.test' }, options)
    expect(cause_text).toMatch(/ -- 192\.0\.2\.7$/)
    expect(await checkWith(script, { host: 'none.test' })).toMatchObject({ phase: 'resolve' })
  })
})

describe('a ping that is stopped', () => {
  it('leaves no process behind, and ends at once', async () => {
    const path = programFolder()
    const file = join(path, 'pid')
    const backend = systemPing({
      path: programFolder({
        ping: `trap '' INT; echo $$ > ${file}; while :; do /bin/sleep 1; done`,
      }),
    })
    const stop = new AbortController()
    const options = { ping: backend, signal: stop.signal, timeout_ms: 60_000 }
    const running = check(ping(), { host: '127.0.0.1' }, options)
    let pid = 0
    await until(() => {
      try {
        pid = Number(readFileSync(file, 'utf8'))
      } catch {
        pid = 0
      }
      return pid > 0
    })
    stop.abort(new Error('the engine stops'))
    expect(await running).toMatchObject({ verdict: 'unknown' })
    await until(() => !isAlive(pid))
  })

  it('holds to the suite of all checkers', async ({ skip }) => {
    if (realPing === undefined) skip('there is no ping')
    const settings = { host: '127.0.0.1', count: 1 }
    for (const { name, run } of checkerSuite(ping(), { settings })) {
      await expect(run(), name).resolves.toBeUndefined()
    }
  })
})

describe.skipIf(realPing === undefined)('the ping of this machine', () => {
  it.each(['127.0.0.1', '::1'])('reaches %s', async (host) => {
    await withDeadline(3000, async (timeout_ms) => {
      const outcome = await check(ping(), { host, count: 3 }, { timeout_ms })
      expect(outcome).toMatchObject({
        verdict: 'ok',
        remote_ip: host,
        details: { sent: 3, received: 3, loss_pct: 0, ttl: 64 },
      })
      const { rtt_min_ms, rtt_avg_ms, rtt_max_ms } = outcome.details as Record<string, number>
      expect(rtt_min_ms).toBeGreaterThan(0)
      expect(rtt_min_ms! <= rtt_avg_ms! && rtt_avg_ms! <= rtt_max_ms!).toBe(true)
    })
  })

  it('sends as many packets as fit before the deadline, and judges those', async () => {
    await withDeadline(1000, async (timeout_ms) => {
      const outcome = await check(ping(), { host: '127.0.0.1', count: 50 }, { timeout_ms })
      expect(outcome).toMatchObject({ verdict: 'ok', details: { loss_pct: 0 } })
      expect(outcome.details.sent).toBeGreaterThan(1)
    })
  })
})

const reason = realPing === undefined ? 'there is no ping' : noNamespaces()
if (reason !== undefined) process.stderr.write(`skipped: ping in a network of its own: ${reason}\n`)

describe.skipIf(reason !== undefined)('ping in a network of its own', () => {
  let network: TestNetwork
  beforeAll(() => {
    network = createTestNetwork()
  })
  afterAll(() => network.close())

  const from = (host: string, input: Partial<PingInput> = {}, timeout_ms = 3000) =>
    checkWith(
      `exec ${network.enter} ${realPing} "$@"`,
      { host, count: 2, ...input },
      { timeout_ms },
    )

  /** Three programs have to start before the first packet is sent. */
  const finds = (host: string, found: object) =>
    withDeadline(3000, async (timeout_ms) => {
      expect(await from(host, {}, timeout_ms)).toMatchObject(found)
    })

  it.each(['10.9.0.2', '10.10.0.2', 'fd09::2'])('%s answers', async (host) => {
    await finds(host, { verdict: 'ok', details: { received: 2 } })
  })

  it('counts the hops left', async () => {
    await finds('10.10.0.2', { details: { ttl: 63 } })
  })

  it.each([
    [
      '10.8.0.1',
      'host_unreachable',
      'No reply from 10.8.0.1 to 2 packets: 10.9.0.2 says "Destination Host Unreachable"',
    ],
    [
      'fd08::1',
      'host_unreachable',
      'No reply from fd08::1 to 2 packets: fd09::2 says "Destination unreachable: No route"',
    ],
    ['10.50.0.1', 'ttl_exceeded', expect.stringContaining('says "Time to live exceeded"')],
    ['10.7.0.1', 'host_unreachable', 'There is no way to the network of 10.7.0.1'],
    ['10.10.0.9', 'ping_no_reply', 'No reply from 10.10.0.9 to 2 packets'],
  ])('%s: %s', async (host, cause_code, cause_text) => {
    await finds(host, { verdict: 'fail', cause_code, cause_text })
  })

  it('finds that packets are lost on the way', async () => {
    network.limitReplies()
    // Enough of them that some are lost where the program does not get to send the most.
    const outcome = await from('10.9.0.2', { count: 50 })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'ping_loss' })
    const { received, loss_pct, packets } = outcome.details
    expect(received).toBeGreaterThan(0)
    expect(loss_pct).toBeGreaterThan(20)
    expect(packets).toContain(null)
  })
})
