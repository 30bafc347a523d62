/** The checks that peers make too, each as it is set up here and there. */

import { dns } from '../../src/checkers/dns/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { ssl } from '../../src/checkers/ssl/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import type { Farm } from '../harness/farm.ts'
import { checkOf, CONCURRENCY } from '../subjects/checking.ts'
import type { Probe } from './exporter.ts'

/** Handshakes of the server take a core of their own; more at once would only queue. */
const HANDSHAKES = 8

export interface Subject {
  readonly name: string
  /** Ours and those of blackbox_exporter in a round. */
  readonly units: number
  readonly concurrency: number
  ours(farm: Farm): () => Promise<void>
  probe(farm: Farm): Probe
  readonly plugin: string
  pluginArgs(farm: Farm): readonly string[]
}

const HOST = '127.0.0.1'
const NAME = 'shop.example'
const IPV4 = { preferred_ip_protocol: 'ip4', ip_protocol_fallback: false }
const TRUST = { tls_config: { ca_file: 'ca.pem' } }

/** Plugins give up after ten seconds by themselves, as the other two are told to. */
const at = (port: number): string[] => ['-H', HOST, '-p', String(port)]

export const subjects: readonly Subject[] = [
  {
    name: 'http',
    units: 1000,
    concurrency: CONCURRENCY,
    ours: (farm) => checkOf(http(), { url: `http://${HOST}:${farm.http}/` }),
    probe: (farm) => ({
      module: { prober: 'http', http: IPV4 },
      target: `http://${HOST}:${farm.http}/`,
    }),
    plugin: 'check_http',
    pluginArgs: (farm) => at(farm.http),
  },
  {
    name: 'https',
    units: 300,
    concurrency: HANDSHAKES,
    ours: (farm) => checkOf(http(), { url: `https://${HOST}:${farm.https}/` }, farm.ca),
    probe: (farm) => ({
      module: { prober: 'http', http: { ...IPV4, ...TRUST } },
      target: `https://${HOST}:${farm.https}/`,
    }),
    plugin: 'check_http',
    pluginArgs: (farm) => [...at(farm.https), '-S'],
  },
  {
    name: 'tcp',
    units: 2000,
    concurrency: CONCURRENCY,
    ours: (farm) => checkOf(tcp(), { host: HOST, port: farm.tcp }),
    probe: (farm) => ({ module: { prober: 'tcp', tcp: IPV4 }, target: `${HOST}:${farm.tcp}` }),
    plugin: 'check_tcp',
    pluginArgs: (farm) => at(farm.tcp),
  },
  {
    name: 'ssl',
    units: 300,
    concurrency: HANDSHAKES,
    ours: (farm) => checkOf(ssl(), { host: HOST, port: farm.https, days_warn: 1 }, farm.ca),
    probe: (farm) => ({
      module: { prober: 'tcp', tcp: { ...IPV4, ...TRUST, tls: true } },
      target: `${HOST}:${farm.https}`,
    }),
    plugin: 'check_http',
    pluginArgs: (farm) => [...at(farm.https), '-S', '-C', '1'],
  },
  {
    name: 'dns',
    units: 2000,
    concurrency: CONCURRENCY,
    ours: (farm) =>
      checkOf(dns(), { dns_name: NAME, rrtype: 'A', nameserver: [`${HOST}:${farm.dns}`] }),
    probe: (farm) => ({
      module: { prober: 'dns', dns: { ...IPV4, query_name: NAME, query_type: 'A' } },
      target: `${HOST}:${farm.dns}`,
    }),
    plugin: 'check_dig',
    pluginArgs: (farm) => [...at(farm.dns), '-l', NAME, '-T', 'A'],
  },
]
