import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { createGuard, targetPolicy } from '../../src/net/guard/guard.ts'
import type { GuardOptions } from '../../src/net/guard/guard.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { silentSystem } from '../support/silent-system.ts'
import {
  ALLOWED_ADDRESSES,
  ALLOWED_LITERAL_URLS,
  ALLOWED_URLS,
  REFUSED_ADDRESSES,
  REFUSED_URLS,
} from './guard-corpus.ts'

const PUBLIC = '93.184.216.34'
const rows = (table: Readonly<Partial<Record<string, readonly string[]>>>) =>
  Object.entries(table).flatMap(([reason, list]) =>
    (list ?? []).map((item) => [item, reason] as const),
  )
const answering =
  (...addresses: string[]) =>
  (): Promise<string[]> =>
    Promise.resolve(addresses)
const neverAsked = (): never => {
  throw new Error('the name servers were asked')
}

describe('createGuard without options', () => {
  const guard = createGuard()

  it.each(rows(REFUSED_ADDRESSES))('refuses the address %j: %s', (address, reason) => {
    expect(guard.checkAddress(address)).toEqual({ allowed: false, reason })
    expect(guard.policy({ host: 'example.com', address })).toBe(reason)
  })

  it.each(ALLOWED_ADDRESSES)('allows the address %s', (address) => {
    expect(guard.checkAddress(address)).toEqual({ allowed: true })
    expect(guard.policy({ host: 'example.com', address })).toBeUndefined()
  })

  it.each(rows(REFUSED_URLS))('refuses the URL %j unasked: %s', async (url, reason) => {
    expect(await guard.checkUrl(url, { resolve: neverAsked })).toEqual({ allowed: false, reason })
  })

  it.each(ALLOWED_URLS)('asks for the host of %s', async (url, host) => {
    const asked: string[] = []
    const resolve = (name: string): string[] => {
      asked.push(name)
      return [PUBLIC]
    }
    expect(await guard.checkUrl(url, { resolve })).toEqual({ allowed: true, addresses: [PUBLIC] })
    expect(asked).toEqual([host])
  })

  it.each(ALLOWED_LITERAL_URLS)('allows %s without asking', async (url) => {
    const addresses = [new URL(url).hostname.replace(/^\[|\]$/g, '')]
    expect(await guard.checkUrl(url, { resolve: neverAsked })).toEqual({ allowed: true, addresses })
  })

  it.each(rows(REFUSED_ADDRESSES))(
    'refuses a name when %j is among its addresses: %s',
    async (address, reason) => {
      const verdict = { allowed: false, reason }
      const url = 'https://example.com/'
      expect(await guard.checkUrl(url, { resolve: answering(PUBLIC, address) })).toEqual(verdict)
      expect(await guard.checkUrl(url, { resolve: answering(address, PUBLIC) })).toEqual(verdict)
    },
  )

  it('hands out the judged addresses, so that a later answer for the same name cannot slip in', async () => {
    const answers = [[PUBLIC], ['127.0.0.1']]
    const resolve = (): string[] => answers.shift() ?? []
    const url = 'https://rebinding.example/'
    const first = await guard.checkUrl(url, { resolve })
    expect(first).toEqual({ allowed: true, addresses: [PUBLIC] })
    expect(answers).toHaveLength(1)
    expect(await guard.checkUrl(url, { resolve })).toEqual({ allowed: false, reason: 'loopback' })
    expect(guard.policy({ host: 'rebinding.example', address: '127.0.0.1' })).toBe('loopback')
  })

  it('refuses blocked names where it dials, whatever they resolve to', () => {
    expect(guard.policy({ host: 'LOCALHOST.', address: PUBLIC })).toBe('blocked_name')
    expect(guard.policy({ host: 'metadata.google.internal', address: PUBLIC })).toBe('blocked_name')
  })

  it('takes a name that cannot be resolved, or has more than 16 addresses, for refused', async () => {
    const url = 'https://example.com/'
    const many = Array.from({ length: 17 }, (_, last) => `8.8.8.${last}`)
    const failing = (): Promise<string[]> => Promise.reject(new Error('SERVFAIL'))
    const unresolvable = { allowed: false, reason: 'unresolvable' }
    expect(await guard.checkUrl(url, { resolve: answering() })).toEqual(unresolvable)
    expect(await guard.checkUrl(url, { resolve: failing })).toEqual(unresolvable)
    expect(await guard.checkUrl(url, { resolve: answering(...many) })).toEqual({
      allowed: false,
      reason: 'too_many_addresses',
    })
    expect(await guard.checkUrl(url, { resolve: answering(...many.slice(1)) })).toMatchObject({
      allowed: true,
    })
  })

  it('gives up on a resolver that never answers after 5 s', async () => {
    const clock = simulatedClock()
    const patient = createGuard({ clock })
    const verdict = patient.checkUrl('https://example.com/', {
      resolve: () => new Promise(() => undefined),
    })
    await clock.advance(5000)
    expect(await verdict).toEqual({ allowed: false, reason: 'unresolvable' })
  })

  it('leaves no timer behind once the name is resolved', async () => {
    const clock = simulatedClock()
    await createGuard({ clock }).checkUrl('https://example.com/', { resolve: answering(PUBLIC) })
    expect(clock.pending).toBe(0)
  })

  it('has no name looked up by the system, which could not be stopped', async () => {
    const { asked } = silentSystem()
    expect(await guard.checkUrl('https://hook.example.com/')).toEqual({
      allowed: false,
      reason: 'unresolvable',
    })
    expect(asked).toEqual([])
  })

  it('resolves as the system does where no resolver is given', async () => {
    // A name that no name server is asked for (RFC 6761, 6.3).
    const host = 'watchpost.localhost'
    const near = createGuard({ allowHosts: [host], allowCidrs: ['127.0.0.0/8', '::1'] })
    const verdict = await near.checkUrl(`http://${host}/`)
    expect(verdict).toEqual({ allowed: true, addresses: ['127.0.0.1', '::1'] })
    const closed = createGuard({ allowHosts: [host] })
    expect(await closed.checkUrl(`http://${host}/`)).toEqual({ allowed: false, reason: 'loopback' })
  })
})

describe('createGuard with an allow-list', () => {
  const allows = (options: GuardOptions, address: string): boolean =>
    createGuard(options).checkAddress(address).allowed

  it('opens the listed ranges and nothing beside them', () => {
    const options = { allowCidrs: ['10.1.0.0/16', 'fd12::/16'] }
    expect(allows(options, '10.1.255.255')).toBe(true)
    expect(allows(options, '::ffff:10.1.2.3')).toBe(true)
    expect(allows(options, 'fd12::1')).toBe(true)
    expect(allows(options, '10.2.0.0')).toBe(false)
    expect(allows(options, '::ffff:10.2.0.0')).toBe(false)
    expect(allows(options, 'fd13::1')).toBe(false)
  })

  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.1.1',
    '169.254.169.254',
    '::ffff:127.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    '::127.0.0.1',
    '2002:7f00:1::1',
    '100.100.100.200',
    '168.63.129.16',
  ])('opens %s by no wide entry', (address) => {
    const wide = [
      '0.0.0.0/0',
      '::/0',
      '100.64.0.0/10',
      'fd00::/8',
      '168.63.0.0/16',
      '::/64',
      '2002::/16',
    ]
    expect(allows({ allowCidrs: wide }, address)).toBe(false)
  })

  it('opens this machine by no entry that only begins and ends in such addresses', () => {
    // From 0.0.0.0 to 127.255.255.255.
    expect(allows({ allowCidrs: ['0.0.0.0/1'] }, '127.0.0.1')).toBe(false)
  })

  it('opens private networks by a wide entry', () => {
    const options = { allowCidrs: ['0.0.0.0/0', '::/0'] }
    expect(
      ['10.0.0.1', '192.168.1.1', 'fd00::1', '203.0.113.1'].map((ip) => allows(options, ip)),
    ).toEqual([true, true, true, true])
  })

  it.each([
    ['127.0.0.1/32', '127.0.0.1'],
    ['127.0.0.0/24', '127.0.0.9'],
    ['127.0.0.1/32', '::ffff:127.0.0.1'],
    ['::ffff:127.0.0.1/128', '127.0.0.1'],
    ['::1/128', '::1'],
    ['169.254.169.254', '169.254.169.254'],
    ['169.254.169.0/24', '169.254.169.254'],
    ['fe80::/64', 'fe80::1'],
    ['fd00:ec2::/64', 'fd00:ec2::254'],
  ])('opens by the narrow entry %s the address %s', (entry, address) => {
    expect(allows({ allowCidrs: [entry] }, address)).toBe(true)
  })

  it.each([
    ['127.0.0.0/8', '127.0.0.1'],
    ['127.0.0.0/8', '127.255.255.255'],
    ['127.0.0.0/8', '::ffff:127.0.0.1'],
    ['127.0.0.0/23', '127.0.1.1'],
    ['::ffff:127.0.0.0/104', '127.0.0.1'],
    ['169.254.0.0/16', '169.254.1.1'],
    ['0.0.0.0/8', '0.0.0.0'],
    ['fe80::/10', 'fe80::1'],
    ['::/127', '::1'],
  ])('opens by %s, which lies wholly inside such addresses, the address %s', (entry, address) => {
    expect(allows({ allowCidrs: [entry] }, address)).toBe(true)
  })

  it.each([
    ['126.0.0.0/7', '127.0.0.1'],
    ['169.254.0.0/15', '169.254.1.1'],
    ['fe00::/9', 'fe80::1'],
    ['::/8', '::1'],
    ['127.0.0.0/8', '10.0.0.1'],
  ])('does not open by %s, which only reaches over it, the address %s', (entry, address) => {
    expect(allows({ allowCidrs: [entry] }, address)).toBe(false)
  })

  it('never opens the metadata service along with its neighbours', () => {
    for (const entry of ['169.254.0.0/16', '169.254.168.0/23', 'fd00:ec2::/48'])
      expect(allows({ allowCidrs: [entry] }, '169.254.169.254')).toBe(false)
    expect(allows({ allowCidrs: ['fe80::/10'] }, 'fe80::a9fe:a9fe')).toBe(false)
  })

  it('opens a blocked name by itself, but not its addresses', async () => {
    const url = 'http://hooks.internal:8080/'
    const resolve = answering('10.1.2.3')
    const named = createGuard({ allowHosts: ['Hooks.Internal.'] })
    const both = createGuard({ allowHosts: ['hooks.internal'], allowCidrs: ['10.1.2.0/24'] })
    const any = createGuard({ allowHosts: [{ host: 'hooks.internal', anyAddress: true }] })
    expect(await named.checkUrl(url, { resolve })).toEqual({ allowed: false, reason: 'private' })
    expect(await both.checkUrl(url, { resolve })).toMatchObject({ allowed: true })
    expect(await any.checkUrl(url, { resolve })).toMatchObject({ allowed: true })
    expect(await any.checkUrl('http://other.internal/', { resolve })).toMatchObject({
      allowed: false,
    })
    expect(any.policy({ host: 'hooks.internal', address: '10.1.2.3' })).toBeUndefined()
    expect(any.policy({ host: 'example.com', address: '10.1.2.3' })).toBe('private')
  })

  it('keeps the metadata service closed to a host of any address', async () => {
    const any = createGuard({ allowHosts: [{ host: 'hooks.internal', anyAddress: true }] })
    const resolve = answering('169.254.169.254')
    expect(await any.checkUrl('http://hooks.internal/', { resolve })).toEqual({
      allowed: false,
      reason: 'metadata',
    })
  })

  it('refuses denied addresses whatever is allowed', () => {
    const options = { allowCidrs: ['10.0.0.0/8'], denyAddresses: ['10.0.0.7', '8.8.8.0/24'] }
    expect(allows(options, '10.0.0.6')).toBe(true)
    expect(allows(options, '10.0.0.7')).toBe(false)
    expect(allows(options, '::ffff:10.0.0.7')).toBe(false)
    expect(allows(options, '8.8.8.8')).toBe(false)
    const named = { ...options, allowHosts: [{ host: 'db.test', anyAddress: true }] }
    const target = { host: 'db.test', address: '10.0.0.7' }
    expect(createGuard(named).policy(target)).toBe('denied')
  })

  it('judges what lies behind NAT64 where that is switched on', () => {
    expect(allows({ nat64: true }, '64:ff9b::8.8.8.8')).toBe(true)
    expect(allows({ nat64: true }, '64:ff9b::127.0.0.1')).toBe(false)
    expect(allows({ nat64: true }, '64:ff9b::10.0.0.1')).toBe(false)
    expect(allows({ nat64: true, allowCidrs: ['10.0.0.0/8'] }, '64:ff9b::10.0.0.1')).toBe(true)
    expect(allows({ nat64: true, denyAddresses: ['8.8.8.8'] }, '64:ff9b::8.8.8.8')).toBe(false)
    expect(allows({ allowCidrs: ['::/0'] }, '64:ff9b::8.8.8.8')).toBe(false)
    expect(allows({ nat64: true }, '64:ff9b:1::8.8.8.8')).toBe(false)
  })

  it('keeps to the listed ports', async () => {
    const guard = createGuard({ ports: [443, 8443] })
    const resolve = answering(PUBLIC)
    const verdicts = await Promise.all(
      [
        'https://a.example/',
        'https://a.example:8443/',
        'http://a.example/',
        'https://8.8.8.8:22/',
      ].map((url) => guard.checkUrl(url, { resolve })),
    )
    const allowed = { allowed: true, addresses: [PUBLIC] }
    const refused = { allowed: false, reason: 'port' }
    expect(verdicts).toEqual([allowed, allowed, refused, refused])
  })

  it('keeps to the lowest and the highest port where these are listed', () => {
    const guard = createGuard({ ports: [1, 65535] })
    const ports = [1, 2, 65534, 65535]
    expect(ports.map((port) => guard.checkUrlText(`http://a.example:${port}/`).allowed)).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  it.each<[GuardOptions, boolean]>([
    [{}, false],
    [{ allowCidrs: [], allowHosts: [], denyAddresses: ['8.8.8.8'], nat64: true }, false],
    [{ allowCidrs: ['10.0.0.0/8'] }, true],
    [{ allowHosts: ['hooks.internal'] }, true],
    [{ allowCidrs: ['10.0.0.0/8'], allowHosts: ['hooks.internal'] }, true],
  ])('says of %j whether something inside is open: %s', (options, opensInside) => {
    expect(createGuard(options).opensInside).toBe(opensInside)
  })

  it('takes an option that is undefined for absent, whatever its name', () => {
    const options = { ports: undefined, allowCidr: undefined }
    expect(createGuard(options).checkAddress('8.8.8.8')).toEqual({ allowed: true })
  })

  const wrong: Readonly<Record<string, unknown>> = {
    'a range that is none': { allowCidrs: ['10.0.0.0/33'] },
    'a range with bits beyond its prefix': { allowCidrs: ['10.0.0.1/8'] },
    'a name among the ranges': { allowCidrs: ['example.com'] },
    'ranges that are no list': { allowCidrs: '10.0.0.0/8' },
    'a number among the ranges': { allowCidrs: [10] },
    'an address among the hosts': { allowHosts: ['10.0.0.1'] },
    'an IPv6 address among the hosts': { allowHosts: ['[fd00::1]'] },
    'a URL among the hosts': { allowHosts: ['http://hooks.internal/'] },
    'a host with a port': { allowHosts: ['hooks.internal:8080'] },
    'an empty host': { allowHosts: [''] },
    'a host that is null': { allowHosts: [null] },
    'anyAddress as a word': { allowHosts: [{ host: 'a.internal', anyAddress: 'yes' }] },
    'a denied range that is none': { denyAddresses: ['nonsense'] },
    'a port of 0': { ports: [0] },
    'no ports at all': { ports: [] },
    'nat64 as a word': { nat64: 'true' },
    'an option that does not exist': { allowCidr: ['10.0.0.0/8'] },
  }
  it.each(Object.entries(wrong))('refuses %s at creation', (_, options) => {
    expect(() => createGuard(options as GuardOptions)).toThrow(ConfigurationError)
  })

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ allowCidr: [] }, 'allowCidr: there is no such option'],
    [{ nat64: 1 }, 'nat64: true or false is expected'],
    [{ allowCidrs: '10.0.0.0/8' }, 'allowCidrs: an array is expected'],
    [{ denyAddresses: '10.0.0.1' }, 'denyAddresses: an array is expected'],
    [{ allowHosts: 'a.internal' }, 'allowHosts: an array is expected'],
    [{ ports: 443 }, 'ports: an array is expected'],
    [{ allowCidrs: [10] }, 'allowCidrs: strings are expected'],
    [{ allowCidrs: ['nonsense'] }, 'allowCidrs: "nonsense" is not a CIDR range'],
    [{ denyAddresses: [10] }, 'denyAddresses: strings are expected'],
    [{ allowHosts: [7] }, 'allowHosts: names, or objects of host and anyAddress, are expected'],
    [{ allowHosts: ['a b'] }, 'allowHosts: "a b" is not a host name'],
    [{ allowHosts: ['a.internal/x'] }, 'allowHosts: "a.internal/x" is not a host name'],
    [{ allowHosts: ['10.0.0.1'] }, 'allowHosts: "10.0.0.1" is an address; put it into allowCidrs'],
    [
      { allowHosts: ['a.internal:81'] },
      'allowHosts: "a.internal:81" has a port; there is "ports" for it',
    ],
    [{ ports: [] }, 'ports: port numbers of 1 to 65535 are expected'],
    [{ ports: [443, 0] }, 'ports: port numbers of 1 to 65535 are expected'],
    [{ ports: [443, 65_536] }, 'ports: port numbers of 1 to 65535 are expected'],
    [{ ports: [80.5] }, 'ports: port numbers of 1 to 65535 are expected'],
  ])('says of %j what is wrong', (options, problem) => {
    expect(() => createGuard(options)).toThrow(new ConfigurationError(`Guard option ${problem}`))
  })
})

describe('targetPolicy', () => {
  it('lets an operator watch everything but metadata services by default', () => {
    const open = targetPolicy('open')
    const judge = (address: string): string | undefined => open({ host: 'db.internal', address })
    expect(
      ['127.0.0.1', '10.0.0.1', '::1', 'fd00::1', '169.254.1.1', '8.8.8.8', '224.0.0.1'].map(judge),
    ).toEqual(Array(7).fill(undefined))
    for (const address of REFUSED_ADDRESSES.metadata!) expect(judge(address)).toBe('metadata')
    expect(judge('64:ff9b::a9fe:a9fe')).toBe('metadata')
  })

  it('opens a metadata address of the open policy that is listed', () => {
    const open = targetPolicy('open', { allowCidrs: ['169.254.169.254/32'] })
    expect(open({ host: 'x', address: '169.254.169.254' })).toBeUndefined()
    expect(open({ host: 'x', address: 'fd00:ec2::254' })).toBe('metadata')
  })

  it('is the guard where targets are public, and the function where one is given', () => {
    const own = (): string => 'no'
    expect(targetPolicy('public')({ host: 'a.example', address: '10.0.0.1' })).toBe('private')
    expect(targetPolicy('public')({ host: 'a.example', address: '8.8.8.8' })).toBeUndefined()
    expect(targetPolicy(own)).toBe(own)
    expect(() => targetPolicy('closed' as 'open')).toThrow(
      new ConfigurationError('targets: "open", "public" or a function is expected'),
    )
  })
})
