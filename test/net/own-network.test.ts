import { syncBuiltinESMExports } from 'node:module'
import os, { networkInterfaces } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { missingNetwork } from '../../src/net/guard/own-network.ts'
import type { Interfaces } from '../../src/net/guard/own-network.ts'

const error = (code: string): Error => Object.assign(new Error('connect'), { code })
const lo = { address: '127.0.0.1', family: 'IPv4', internal: true } as const
const v4 = { address: '10.0.0.2', family: 'IPv4', internal: false } as const
const link4 = { address: '169.254.7.7', family: 'IPv4', internal: false } as const
const link6 = { address: 'FE80::1', family: 'IPv6', internal: false } as const
const v6 = { address: '2001:db8::2', family: 'IPv6', internal: false } as const
// Addresses of the Internet that only look like link-local ones.
const like4 = { address: '81.169.254.1', family: 'IPv4', internal: false } as const
const like6 = { address: '2001:db8:fe80::1', family: 'IPv6', internal: false } as const

describe('no route', () => {
  it.each<[string, Interfaces, string | undefined]>([
    ['no address but its own', { lo: [lo] }, 'probe_offline'],
    ['no interface at all', {}, 'probe_offline'],
    ['an interface without addresses', { eth0: undefined }, 'probe_offline'],
    ['link-local addresses only', { lo: [lo], eth0: [link4, link6] }, 'probe_offline'],
    ['IPv4 only', { lo: [lo], eth0: [v4, link6] }, 'probe_unsupported'],
    ['an IPv6 address', { lo: [lo], eth0: [v4, v6] }, undefined],
    ['an IPv6 address with fe80 in its middle', { eth0: [like6] }, undefined],
  ])('to an IPv6 address, on a machine with %s: %s', (_what, interfaces, code) => {
    expect(missingNetwork(error('ENETUNREACH'), 6, interfaces)?.code).toBe(code)
  })

  it.each<[string, Interfaces, string | undefined]>([
    ['IPv6 only', { lo: [lo], eth0: [v6, link4] }, 'probe_unsupported'],
    ['an IPv4 address', { lo: [lo], eth0: [v4] }, undefined],
    ['an IPv4 address with 169.254 in its middle', { eth0: [like4] }, undefined],
  ])('to an IPv4 address, on a machine with %s: %s', (_what, interfaces, code) => {
    expect(missingNetwork(error('ENETUNREACH'), 4, interfaces)?.code).toBe(code)
  })

  it('looks at the interfaces of this machine', () => {
    const codeOf = (...given: readonly [] | readonly [Interfaces]) =>
      ([4, 6] as const).map(
        (family) => missingNetwork(error('ENETUNREACH'), family, ...given)?.code,
      )
    expect(codeOf()).toEqual(codeOf(networkInterfaces()))
  })

  it('is not laid to a machine whose interfaces cannot be read, as without free descriptors', () => {
    const read = os.networkInterfaces
    onTestFinished(() => {
      os.networkInterfaces = read
      syncBuiltinESMExports()
    })
    os.networkInterfaces = () => {
      throw error('EMFILE')
    }
    syncBuiltinESMExports()
    expect(networkInterfaces).toThrow()
    expect(missingNetwork(error('ENETUNREACH'), 4)).toBeUndefined()
    expect(missingNetwork(error('ENETUNREACH'), 6)).toBeUndefined()
  })

  it('says what the location lacks, and keeps the error', () => {
    const cause = error('EADDRNOTAVAIL')
    const offline = missingNetwork(cause, 4, { lo: [lo] })
    expect(offline).toMatchObject({ phase: 'connect', cause })
    expect(offline?.message).toBe('This location has no network')
    const unsupported = missingNetwork(cause, 6, { eth0: [v4] })
    expect(unsupported).toMatchObject({ phase: 'connect', cause })
    expect(unsupported?.message).toBe('This location has no IPv6')
  })

  it.each([error('ECONNREFUSED'), error('ETIMEDOUT'), undefined, null, 'ENETUNREACH'])(
    'is the only error that is looked into: not %s',
    (other) => {
      expect(missingNetwork(other, 6, { lo: [lo] })).toBeUndefined()
    },
  )
})
