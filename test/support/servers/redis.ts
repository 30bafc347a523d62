/**
 * Redis without persistence.
 *
 * @module
 */

import type { Place, RunningServer } from './harness.ts'
import { startServer } from './harness.ts'
import { answersTo } from './hello.ts'
import type { ServerNeed } from './binaries.ts'
import { findBinary, required } from './binaries.ts'
import { tlsFiles } from './tls-files.ts'

export const redisServer: ServerNeed = {
  name: 'Redis',
  packages: 'redis-server',
  locate: () => findBinary(['redis-server', 'valkey-server']),
}

export interface RedisOptions {
  /** Asked of every client. Default: none. */
  readonly password?: string
  /** Clients beyond it get an error and are closed. Default 10 000. */
  readonly maxClients?: number
  /** Writes beyond it get an OOM error. Default: no bound. */
  readonly maxMemoryMb?: number
  /** As a replica of a server that is not there: reads are refused with MASTERDOWN, writes with READONLY. */
  readonly orphanedReplica?: boolean
  /** Commands that answer "unknown command", such as `EVALSHA`. */
  readonly withoutCommands?: readonly string[]
  /** Appends every write to disk, so that a restart keeps the data. Default `false`. */
  readonly durable?: boolean
  /** On the port `rediss`: this version of TLS, and only with a client certificate of the test authority. */
  readonly clientCertificate?: 'TLSv1.2' | 'TLSv1.3'
}

export type RedisServer = RunningServer<'redis' | 'rediss'>

export function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const hello = options.password === undefined ? 'PING\r\n' : `AUTH ${options.password}\r\n`
  return startServer({
    name: 'redis',
    binary: required(redisServer),
    ports: ['redis', 'rediss'],
    args: ({ dir }) => [`${dir}/redis.conf`],
    files: (place) => ({
      'redis.conf': configuration(place, options),
      ...(options.clientCertificate === undefined ? {} : tlsFiles()),
    }),
    ready: ({ ports }) => answersTo(ports.redis, hello, /^(\+|-MASTERDOWN)/),
  })
}

function configuration({ dir, ports }: Place<'redis' | 'rediss'>, options: RedisOptions): string {
  const lines = [
    `port ${ports.redis}`,
    'bind 127.0.0.1',
    'save ""',
    `appendonly ${options.durable === true ? 'yes' : 'no'}`,
    'appendfsync always',
    'maxmemory-policy noeviction',
    'enable-debug-command local',
    `dir ${dir}`,
    ...(options.withoutCommands ?? []).map((name) => `rename-command ${name} ""`),
  ]
  if (options.clientCertificate !== undefined) {
    lines.push(`tls-port ${ports.rediss}`, `tls-protocols ${options.clientCertificate}`)
    lines.push(`tls-cert-file ${dir}/tls/chain.pem`, `tls-key-file ${dir}/tls/key.pem`)
    lines.push(`tls-ca-cert-file ${dir}/tls/ca.pem`, 'tls-auth-clients yes')
  }
  if (options.password !== undefined) lines.push(`requirepass ${options.password}`)
  if (options.maxClients !== undefined) lines.push(`maxclients ${options.maxClients}`)
  if (options.maxMemoryMb !== undefined) lines.push(`maxmemory ${options.maxMemoryMb}mb`)
  if (options.orphanedReplica === true) {
    lines.push('replicaof 127.0.0.1 9', 'replica-serve-stale-data no')
  }
  return `${lines.join('\n')}\n`
}
