/**
 * A small network of its own, made of Linux network namespaces: `here` — `router` — `far`. Needs root
 * and iproute2.
 *
 * | address   | from `here`                                        |
 * | --------- | -------------------------------------------------- |
 * | 10.9.0.2  | the router: answers                                |
 * | 10.10.0.2 | `far`, behind it: answers                          |
 * | 10.10.0.9 | nobody, behind it, and nobody ever says so         |
 * | 10.8.0.1  | the router says that it is unreachable             |
 * | 10.50.0.1 | goes round between `router` and `far`: TTL exceeded |
 * | 10.7.0.1  | `here` has no way there                            |
 * | fd09::2   | the router: answers                                |
 * | fd08::1   | the router says that there is no route             |
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import { findBinary } from './servers/binaries.ts'

const ip = findBinary(['ip'])

export interface TestNetwork {
  /** Shell command that runs the rest of its line in `here`. */
  readonly enter: string
  /** Makes `router` answer to one echo request a second at most, after the first few. */
  limitReplies(): void
  close(): void
}

/** Why there can be none, `undefined` where there can. */
export function noNamespaces(): string | undefined {
  if (ip === undefined) return 'iproute2 is not installed; apt-get install iproute2'
  const name = `wp-try-${process.pid}`
  try {
    run('netns', 'add', name)
    run('netns', 'del', name)
    return undefined
  } catch (error) {
    return `network namespaces cannot be made here: ${String(error).split('\n')[0]}`
  }
}

export function createTestNetwork(): TestNetwork {
  const [here, router, far] = ['here', 'router', 'far'].map((name) => `wp-${name}-${process.pid}`)
  const names = [here!, router!, far!]
  const close = (): void => {
    for (const name of names) quietly('netns', 'del', name)
  }
  try {
    for (const name of names) {
      run('netns', 'add', name)
      run('-n', name, 'link', 'set', 'lo', 'up')
      write(name, 'net/ipv4/ip_forward', '1')
      write(name, 'net/ipv6/conf/all/forwarding', '1')
      // Every error is told, however many there were before.
      write(name, 'net/ipv4/icmp_ratelimit', '0')
    }
    wire([here!, 'a0', '10.9.0.1/24', 'fd09::1/64'], [router!, 'b0', '10.9.0.2/24', 'fd09::2/64'])
    wire([router!, 'b1', '10.10.0.1/24'], [far!, 'c0', '10.10.0.2/24'])
    for (const net of ['10.8.0.0/16', '10.10.0.0/16', '10.50.0.0/16', 'fd08::/32']) {
      const via = net.includes(':') ? 'fd09::2' : '10.9.0.2'
      run('-n', here!, 'route', 'add', net, 'via', via)
    }
    run('-n', router!, 'route', 'add', 'unreachable', '10.8.0.0/16')
    // It would be told as unreachable once the router has asked for it for three seconds.
    run('-n', router!, 'route', 'add', 'blackhole', '10.10.0.9/32')
    run('-n', router!, 'route', 'add', '10.50.0.0/16', 'via', '10.10.0.2')
    run('-n', far!, 'route', 'add', 'default', 'via', '10.10.0.1')
  } catch (error) {
    close()
    throw error
  }
  return {
    enter: `${ip} netns exec ${here}`,
    limitReplies() {
      // Bit 0 is the echo reply.
      write(router!, 'net/ipv4/icmp_ratemask', '1')
      write(router!, 'net/ipv4/icmp_ratelimit', '1000')
    },
    close,
  }
}

type End = readonly [namespace: string, device: string, ...addresses: string[]]

function wire(one: End, other: End): void {
  run(
    'link',
    'add',
    one[1],
    'netns',
    one[0],
    'type',
    'veth',
    'peer',
    'name',
    other[1],
    'netns',
    other[0],
  )
  for (const [namespace, device, ...addresses] of [one, other]) {
    for (const address of addresses) {
      const now = address.includes(':') ? ['nodad'] : []
      run('-n', namespace, 'addr', 'add', address, 'dev', device, ...now)
    }
    run('-n', namespace, 'link', 'set', device, 'up')
  }
}

function write(namespace: string, path: string, value: string): void {
  run('netns', 'exec', namespace, 'sh', '-c', `echo ${value} > /proc/sys/${path}`)
}

function run(...args: string[]): void {
  execFileSync(ip ?? 'ip', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 })
}

function quietly(...args: string[]): void {
  try {
    run(...args)
  } catch {
    // It was never made.
  }
}
