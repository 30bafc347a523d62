import { describe, expect, it } from 'vitest'
import { planPing } from '../../../src/net/icmp/ping.ts'
import { programsOf } from '../../../src/net/icmp/programs.ts'
import type { PingOrder } from '../../../src/net/icmp/backend.ts'
import { troubleIn } from '../../../src/net/icmp/transcript.ts'

const order = (address: string, rest: Partial<PingOrder> = {}): PingOrder => ({
  address: { address, family: address.includes(':') ? 6 : 4 },
  count: 5,
  interval_ms: 250,
  reply_wait_ms: 2700,
  budget_ms: 4000,
  signal: new AbortController().signal,
  ...rest,
})

const commands = (platform: NodeJS.Platform, given: PingOrder): string[] =>
  programsOf(platform).map((program) => program.command(given).join(' '))

describe('the command line', () => {
  it.each<[NodeJS.Platform, string, string[]]>([
    [
      'linux',
      '192.0.2.1',
      ['ping -4 -n -c 5 -i 0.25 -W 2 -- 192.0.2.1', 'fping -4 -C 5 -p 250 -t 2700 -- 192.0.2.1'],
    ],
    [
      'linux',
      '2001:db8::1',
      [
        'ping -6 -n -c 5 -i 0.25 -W 2 -- 2001:db8::1',
        'fping -6 -C 5 -p 250 -t 2700 -- 2001:db8::1',
      ],
    ],
    ['darwin', '192.0.2.1', ['ping -n -c 5 -i 0.25 -W 2700 -- 192.0.2.1', expect.any(String)]],
    ['darwin', '2001:db8::1', ['ping6 -n -c 5 -i 0.25 -- 2001:db8::1', expect.any(String)]],
    ['openbsd', '192.0.2.1', ['ping -n -c 5 -i 0.25 -- 192.0.2.1', expect.any(String)]],
    ['win32', '192.0.2.1', ['ping -4 -n 5 -w 2700 192.0.2.1']],
    ['win32', '2001:db8::1', ['ping -6 -n 5 -w 2700 2001:db8::1']],
  ])('on %s for %s', (platform, address, expected) => {
    expect(commands(platform, order(address))).toEqual(expected)
  })

  it('waits a second at least for the last reply, and writes no exponents', () => {
    const [command] = commands('linux', order('192.0.2.1', { interval_ms: 0.3, reply_wait_ms: 9 }))
    expect(command).toBe('ping -4 -n -c 5 -i 0.001 -W 1 -- 192.0.2.1')
  })

  it.each([
    '-f',
    'localhost',
    '',
    'fe80::1%eth0',
    '127.1',
    '0x7f.1',
    '192.0.2.1 -f',
    '::FFFF:1.2.3.4',
  ])('takes nothing but an address in its one spelling: %j', (address) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      for (const program of programsOf(platform)) {
        expect(() => program.command(order(address))).toThrow('not an address')
      }
    }
  })
})

describe('what a program could not do', () => {
  it.each<[string, ReturnType<typeof troubleIn>]>([
    [
      'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\nping: => missing cap_net_raw+p capability or setuid?',
      { step: 'open', code: 'EPERM' },
    ],
    ['ping: icmp open socket: Operation not permitted', { step: 'open', code: 'EPERM' }],
    ['ping: socket: Permission denied', { step: 'open', code: 'EACCES' }],
    ['ping: permission denied (are you root?)', { step: 'open', code: 'EACCES' }],
    ["fping: can't create socket (must run as root?)", { step: 'open', code: 'EPERM' }],
    ['setpriv: failed to execute ping: Operation not permitted', { step: 'open', code: 'EPERM' }],
    ['ping: sendmsg: Operation not permitted', { step: 'send', code: 'EPERM' }],
    ['ping: sendto: Permission denied', { step: 'send', code: 'EACCES' }],
    [
      'ping: Do you want to ping broadcast? Then -b. If not, check your local firewall rules',
      { step: 'send', code: 'EACCES' },
    ],
    ['ping: connect: Network is unreachable', { step: 'send', code: 'ENETUNREACH' }],
    ['connect: Network is unreachable', { step: 'send', code: 'ENETUNREACH' }],
    ['ping: sendto: Network unreachable', { step: 'send', code: 'ENETUNREACH' }],
    ['ping: connect: No route to host', { step: 'send', code: 'EHOSTUNREACH' }],
    ['ping: sendto: Host is unreachable', { step: 'send', code: 'EHOSTUNREACH' }],
    ['ping: sendto: Host is down', { step: 'send', code: 'EHOSTDOWN' }],
    ['ping: sendto: Network is down', { step: 'send', code: 'ENETDOWN' }],
    ['ping: connect: Cannot assign requested address', { step: 'send', code: 'EADDRNOTAVAIL' }],
    ["ping6: bind: Can't assign requested address", { step: 'send', code: 'EADDRNOTAVAIL' }],
    [
      'ping: socket: Address family not supported by protocol',
      { step: 'send', code: 'EAFNOSUPPORT' },
    ],
    ['ping: sendto: No buffer space available', { step: 'send', code: 'ENOBUFS' }],
    ['ping: connect: Invalid argument', { step: 'send', code: 'EINVAL' }],
    ["ping: invalid argument: '1.5'", undefined],
    ["ping: invalid option -- 'z'\nUsage: ping", undefined],
    ['ping: Warning: time of day goes backwards (-5us), taking countermeasures', undefined],
    ['', undefined],
  ])('%j', (stderr, expected) => {
    expect(troubleIn(stderr)).toEqual(expected)
  })
})

describe('the plan of a ping', () => {
  const plan = (count: number, time_ms: number, privileged = false, interval_ms = 1000) =>
    planPing({ count, time_ms, privileged, interval_ms })

  it('sends once a second where there is time', () => {
    expect(plan(5, 10_000)).toEqual({
      count: 5,
      interval_ms: 1000,
      reply_wait_ms: 5500,
      budget_ms: 9500,
    })
  })

  it.each([
    [1, 500],
    [1, 60_000],
    [5, 500],
    [5, 2000],
    [5, 5000],
    [50, 2000],
    [50, 10_000],
    [50, 60_000],
    [2, 1],
  ])('%i packets in %i ms: what is sent has time to come back before the deadline', (count, ms) => {
    for (const privileged of [false, true]) {
      const { interval_ms, reply_wait_ms, budget_ms, count: sent } = plan(count, ms, privileged)
      expect(sent).toBeGreaterThanOrEqual(1)
      expect(sent).toBeLessThanOrEqual(count)
      expect(interval_ms).toBeGreaterThanOrEqual(privileged ? 20 : 200)
      expect(interval_ms).toBeLessThanOrEqual(1000)
      expect(budget_ms).toBeLessThan(Math.max(ms, 2))
      expect((sent - 1) * interval_ms + reply_wait_ms).toBeLessThanOrEqual(budget_ms + sent)
      expect(reply_wait_ms).toBeGreaterThanOrEqual(Math.floor(budget_ms / 4))
    }
  })

  it('sends fewer packets before it sends faster than an ordinary user may', () => {
    expect(plan(50, 5000)).toMatchObject({ interval_ms: 200, count: 17 })
    expect(plan(50, 5000, true)).toMatchObject({ count: 50 })
  })
})
