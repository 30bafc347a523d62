import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Question } from 'dns-packet'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { CheckFailure } from '../../src/net/failure.ts'
import type { IpFamily } from '../../src/net/connection/endpoint.ts'
import type { Address } from '../../src/net/connection/endpoint.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import type { ResolverOptions } from '../../src/net/resolve/resolver.ts'
import { createSystemLookups } from '../../src/net/resolve/system-lookups.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { withDeadline } from '../support/deadlines.ts'
import { hostsFile } from '../support/hosts-file.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import type { DnsReply } from '../support/scripted-dns.ts'

const never = { signal: new AbortController().signal }

/** The addresses as text, or the code of the failure. */
async function outcome(
  host: string,
  options: ResolverOptions,
  ip_family: IpFamily = 'auto',
): Promise<string> {
  try {
    const found = await createResolver(options).resolve(host, ip_family, never)
    return found.map(({ address }) => address).join(' ')
  } catch (error) {
    return error instanceof CheckFailure ? error.code : String(error)
  }
}

const noHosts = (): ResolverOptions => ({ hostsFile: hostsFile({}), nameservers: ['127.0.0.1:9'] })

const isRoot = (name: string): boolean => name === '' || name === '.'

const a = (name: string, data: string) => ({ type: 'A', name, data, ttl: 1 }) as const
const aaaa = (name: string, data: string) => ({ type: 'AAAA', name, data, ttl: 1 }) as const

async function served(reply: (question: Question) => DnsReply | undefined) {
  const { address, questions } = await scriptedDns(reply)
  return { options: { hostsFile: hostsFile({}), nameservers: [address] }, questions }
}

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['fe80::1%eth0', 'connect_blocked'],
    ['1:2', 'connect_blocked'],
  ])('%s stands for %s', async (host, expected) => {
    expect(await outcome(host, noHosts())).toBe(expected)
  })

  it('of the other family has no records', async () => {
    expect(await outcome('192.0.2.1', noHosts(), 'ipv6')).toBe('dns_no_records')
  })
})

describe('the hosts file', () => {
  it('comes first, in its order, whatever the case of the name and with or without the last dot', async () => {
    const { options, questions } = await served(() => ({ rcode: 3 }))
    writeFileSync(
      options.hostsFile,
      '# addresses\n127.0.0.3 one.test two.test # note\nnonsense\n::1\tTWO.test.\n127.0.0.4 two.test\r\n',
    )
    expect(await outcome('Two.Test.', options)).toBe('127.0.0.3 ::1 127.0.0.4')
    expect(await outcome('one.test', options)).toBe('127.0.0.3')
    expect(questions).toEqual([])
  })

  it('is read again once it has changed', async () => {
    const path = hostsFile({ 'a.test': ['127.0.0.3'] })
    const resolver = createResolver({ hostsFile: path, nameservers: ['127.0.0.1:9'] })
    await resolver.resolve('a.test', 'auto', never)
    writeFileSync(path, '127.0.0.4 a.test\n')
    utimesSync(path, 1, 1)
    const expected: Address[] = [{ address: '127.0.0.4', family: 4 }]
    expect(await resolver.resolve('a.test', 'auto', never)).toEqual(expected)
  })

  it('without an address of the wanted family is passed over', async () => {
    const { options } = await served(({ name }) => ({ answers: [aaaa(name, '2001:db8::1')] }))
    writeFileSync(options.hostsFile, '127.0.0.3 a.test\n')
    expect(await outcome('a.test', options, 'ipv6')).toBe('2001:db8::1')
  })

  it('may be missing', async () => {
    const options = { hostsFile: '/nonexistent/hosts', nameservers: ['127.0.0.1:9'] }
    expect(await outcome('localhost', options)).toBe('127.0.0.1 ::1')
  })

  it('need not know localhost and the names below it, which no name server is asked about', async () => {
    const { options, questions } = await served(() => ({ rcode: 3 }))
    expect(await outcome('localhost', options, 'ipv6')).toBe('::1')
    expect(await outcome('app.localhost', options)).toBe('127.0.0.1 ::1')
    writeFileSync(options.hostsFile, '127.0.0.9 localhost\n')
    expect(await outcome('localhost', options)).toBe('127.0.0.9')
    expect(questions).toEqual([])
  })
})

describe('the name servers', () => {
  it('are asked for both families at once, and the answers take turns', async () => {
    const { options } = await served(({ name, type }) => ({
      answers:
        type === 'A'
          ? [a(name, '192.0.2.1'), a(name, '192.0.2.2'), a(name, '192.0.2.1')]
          : [aaaa(name, '2001:db8::1')],
    }))
    expect(await outcome('a.test', options)).toBe('192.0.2.1 2001:db8::1 192.0.2.2')
  })

  it('are asked for the wanted family only', async () => {
    const { options, questions } = await served(({ name }) => ({ answers: [a(name, '192.0.2.1')] }))
    expect(await outcome('a.test', options, 'ipv4')).toBe('192.0.2.1')
    // Once more where it waited for a second to be read.
    expect(new Set(questions)).toEqual(new Set(['A a.test']))
  })

  it('give sixteen addresses at most', async () => {
    const { options } = await served(({ name }) => ({
      answers: Array.from({ length: 20 }, (_, n) => a(name, `192.0.2.${n}`)),
    }))
    expect((await outcome('a.test', options, 'ipv4')).split(' ')).toHaveLength(16)
  })

  it('that never answer for one family do not hold up the other', async () => {
    const { options } = await served(({ name, type }) =>
      type === 'A' ? { answers: [a(name, '192.0.2.1')] } : undefined,
    )
    const clock = simulatedClock()
    const found = outcome('a.test', { ...options, clock })
    await expect.poll(() => clock.pending).toBe(1)
    await clock.advance(300)
    expect(await found).toBe('192.0.2.1')
  })

  it.each([
    [3, 'dns_nxdomain'],
    [0, 'dns_no_records'],
    [2, 'dns_server_failure'],
    [4, 'dns_server_failure'],
    [5, 'dns_refused'],
  ])('that answer with rcode %i and nothing else: %s', async (rcode, expected) => {
    const { options } = await served(({ name }) => (isRoot(name) ? {} : { rcode }))
    expect(await outcome('a.test', options)).toBe(expected)
  })

  it('that fail for the root as well have lost their way: our own trouble', async () => {
    const { options } = await served(() => ({ rcode: 2 }))
    expect(await outcome('a.test', options)).toBe('probe_resolver_broken')
  })

  it('that come back to life are asked once more', async () => {
    await withDeadline(2000, async (within_ms) => {
      let silent = true
      const { options } = await served(({ name }) => {
        // The question for the root is the first that they answer.
        if (isRoot(name)) silent = false
        return silent ? undefined : { answers: isRoot(name) ? [] : [a(name, '192.0.2.1')] }
      })
      const resolver = createResolver(options)
      const found = await resolver.resolve('a.test', 'ipv4', { ...never, within_ms })
      expect(found).toEqual([{ address: '192.0.2.1', family: 4 }])
    })
  })

  it('that refuse the root, but not this name, are believed', async () => {
    const { options } = await served(({ name }) => ({ rcode: isRoot(name) ? 5 : 2 }))
    expect(await outcome('a.test', options)).toBe('dns_server_failure')
  })

  it('that fail for one family leave the question open, even where the other has no records', async () => {
    const { options } = await served(({ type }) => ({ rcode: type === 'A' ? 2 : 0 }))
    expect(await outcome('a.test', options)).toBe('dns_server_failure')
  })

  it('that answer, but not for this name, make it a failure of the name', async () => {
    const { options } = await served(({ name }) => (isRoot(name) ? { rcode: 5 } : undefined))
    // The root has a second to answer, whatever else there is time for.
    await withDeadline(1000, async () => {
      expect(await outcome('a.test', options)).toBe('dns_timeout')
    })
  })

  it('that answer nothing at all are our own trouble', async () => {
    const { options } = await served(() => undefined)
    expect(await outcome('a.test', options)).toBe('probe_resolver_broken')
  })

  it('that answer under another id, as a forger does, have not answered', async () => {
    const { options } = await served(({ name }) => ({
      id: 7,
      answers: isRoot(name) ? [] : [a(name, '192.0.2.1')],
    }))
    expect(await outcome('a.test', options)).toBe('probe_resolver_broken')
  })

  it.each([1, 3])(
    'of which %i are silent are found out before the check is over',
    async (count) => {
      const silent = await Promise.all(
        Array.from({ length: count }, () => scriptedDns(() => undefined)),
      )
      const nameservers = silent.map(({ address }) => address)
      const resolver = createResolver({ hostsFile: hostsFile({}), nameservers })
      await withDeadline(900, async (within_ms) => {
        const late = new AbortController()
        const timer = systemClock.timer(3 * within_ms, () => late.abort(new Error('too late')))
        const found = resolver.resolve('a.test', 'auto', { signal: late.signal, within_ms })
        await expect(found).rejects.toMatchObject({ code: 'probe_resolver_broken' })
        timer.cancel()
      })
    },
  )

  it('that are not there are our own trouble', async () => {
    expect(await outcome('a.test', noHosts())).toBe('probe_resolver_broken')
  })

  it('are given up at once when the signal aborts', async () => {
    const { options } = await served(() => undefined)
    const stop = new AbortController()
    const found = createResolver(options).resolve('a.test', 'auto', stop)
    stop.abort(new Error('enough'))
    await expect(found).rejects.toThrow('enough')
  })
})

describe('the system', () => {
  const known: Address[] = [{ address: '192.0.2.7', family: 4 }]

  it('is asked about names that no name server knows', async () => {
    const { options } = await served(() => ({ rcode: 3 }))
    const system = (host: string) => Promise.resolve(host === 'intranet' ? known : [])
    expect(await outcome('intranet', { ...options, system })).toBe('192.0.2.7')
    expect(await outcome('intranet', { ...options, system }, 'ipv6')).toBe('dns_nxdomain')
    expect(await outcome('other', { ...options, system })).toBe('dns_nxdomain')
  })

  it('is not asked where the name servers failed otherwise', async () => {
    const { options } = await served(({ name }) => ({ rcode: isRoot(name) ? 0 : 2 }))
    const system = () => Promise.resolve(known)
    expect(await outcome('intranet', { ...options, system })).toBe('dns_server_failure')
  })

  /** What the system was asked, and how to answer it. */
  function silentSystem() {
    const asked: string[] = []
    const answers: ((found: Address[]) => void)[] = []
    const system = (host: string) => {
      asked.push(host)
      return new Promise<Address[]>((resolve) => answers.push(resolve))
    }
    return { asked, answers, system }
  }

  it('answers one question at a time, and a stuck one keeps its place beyond the abort', async () => {
    const { options } = await served(() => ({ rcode: 3 }))
    const { asked, answers, system } = silentSystem()
    const resolver = createResolver({ ...options, system, lookups: createSystemLookups() })
    const stop = new AbortController()
    const first = resolver.resolve('a.test', 'auto', stop).catch(String)
    await expect.poll(() => asked).toEqual(['a.test'])
    const second = resolver.resolve('b.test', 'auto', never)
    stop.abort(new Error('enough'))
    expect(await first).toBe('Error: enough')
    expect(asked).toEqual(['a.test'])
    answers[0]?.([])
    await expect.poll(() => asked).toEqual(['a.test', 'b.test'])
    answers[1]?.(known)
    expect(await second).toEqual(known)
  })

  it('is asked by all resolvers of the process together, accounts in turn', async () => {
    const { options } = await served(() => ({ rcode: 3 }))
    const { asked, answers, system } = silentSystem()
    const ask = (host: string, account_id: number) =>
      createResolver({ ...options, system }).resolve(host, 'auto', { ...never, account_id })
    const names = ['b1.test', 'b2.test', 'b3.test']
    const [first, ...others] = names.map((name) => ask(name, 2).catch(String))
    await expect.poll(() => asked).toHaveLength(1)
    const patient = ask('a.test', 1)
    await expect.poll(() => answers.length).toBe(1)
    for (let n = 0; n < names.length + 1; n++) {
      await expect.poll(() => answers.length).toBe(n + 1)
      answers[n]?.(asked[n] === 'a.test' ? known : [])
    }
    expect(await patient).toEqual(known)
    await Promise.all([first, ...others])
    expect(asked).toHaveLength(4)
  })

  it('that others keep busy is the trouble of this location', async () => {
    const { options } = await served(() => ({ rcode: 3 }))
    const { asked, answers, system } = silentSystem()
    const resolver = createResolver({ ...options, system, lookups: createSystemLookups() })
    const stuck = resolver.resolve('b.test', 'auto', { ...never, account_id: 2 }).catch(String)
    await expect.poll(() => asked).toEqual(['b.test'])
    await withDeadline(300, async (within_ms) => {
      const wait = { ...never, account_id: 1, within_ms }
      await expect(resolver.resolve('a.test', 'auto', wait)).rejects.toMatchObject({
        code: 'probe_overloaded',
        phase: 'resolve',
      })
    })
    answers[0]?.([])
    await stuck
    expect(asked).toEqual(['b.test'])
  })
})

describe('the search domains', () => {
  function configured(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-resolv-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'resolv.conf')
    writeFileSync(path, text)
    return path
  }

  it.each([
    ['search lan.test corp.test\n', 'intra', '192.0.2.9'],
    [
      'search other.test\n# search corp.test\ndomain corp.test.\nnameserver 127.0.0.1',
      'intra',
      '192.0.2.9',
    ],
    ['search corp.test', 'svc.intra', '192.0.2.9'],
    ['domain corp.test\nsearch other.test', 'intra', 'dns_nxdomain'],
    ['search corp.test', 'intra.', 'dns_nxdomain'],
    ['search 1.test 2.test 3.test 4.test 5.test 6.test corp.test', 'intra', 'dns_nxdomain'],
    ['', 'intra', 'dns_nxdomain'],
  ])('%j: %s is %s', async (text, host, expected) => {
    const { options } = await served(({ name, type }) =>
      name.endsWith('intra.corp.test') && type === 'A'
        ? { answers: [a(name, '192.0.2.9')] }
        : { rcode: 3 },
    )
    expect(await outcome(host, { ...options, configuration: configured(text) })).toBe(expected)
  })

  it('are tried by the name servers, so that no name of another account is waited for', async () => {
    const { options } = await served(({ name }) =>
      name === 'intra.corp.test' ? { answers: [a(name, '192.0.2.9')] } : { rcode: 3 },
    )
    const asked: string[] = []
    let answer: (found: Address[]) => void = () => undefined
    const system = (host: string) => {
      asked.push(host)
      return new Promise<Address[]>((resolve) => (answer = resolve))
    }
    const configuration = configured('search corp.test\n')
    const lookups = createSystemLookups()
    const resolver = createResolver({ ...options, system, configuration, lookups })
    const stuck = resolver.resolve('x.evil.test', 'auto', { ...never, account_id: 2 }).catch(String)
    await expect.poll(() => asked).toEqual(['x.evil.test'])
    const found = await resolver.resolve('intra', 'ipv4', { ...never, account_id: 1 })
    expect(found).toEqual([{ address: '192.0.2.9', family: 4 }])
    answer([])
    await stuck
    expect(asked).toEqual(['x.evil.test'])
  })

  it('that fail leave the name to the system', async () => {
    const { options } = await served(({ name }) => ({ rcode: name === 'intra' ? 3 : 5 }))
    const configuration = configured('search corp.test\n')
    const system = () => Promise.resolve<Address[]>([{ address: '192.0.2.7', family: 4 }])
    expect(await outcome('intra', { ...options, configuration, system })).toBe('192.0.2.7')
    expect(await outcome('intra', { ...options, configuration })).toBe('dns_nxdomain')
  })

  it('need no file', async () => {
    const { options } = await served(() => ({ rcode: 3 }))
    expect(await outcome('intra', { ...options, configuration: '/nonexistent' })).toBe(
      'dns_nxdomain',
    )
  })
})
