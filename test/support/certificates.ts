/**
 * Certificates for tests, made with the `openssl` command line on first use, once per run of the suite: a
 * root, an intermediate, a good leaf, and a leaf for every way in which a leaf is bad.
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hireUndertaker } from './servers/undertaker.ts'
import { artifactSync } from './shared-artifacts.ts'

/** One leaf: PEM texts, and the files that hold them. */
export interface TestCertificate {
  /** The leaf alone. */
  readonly cert: string
  readonly key: string
  /** What a server sends: leaf and intermediate (the leaf alone for `selfSigned` and `incomplete`). */
  readonly chain: string
  readonly certPath: string
  readonly keyPath: string
  readonly chainPath: string
}

export interface TestCertificates {
  /** Holds all files; removed when the process ends, however it ends. */
  readonly dir: string
  /** The root that a client has to trust, PEM. */
  readonly ca: string
  readonly caPath: string
  readonly intermediate: string
  /** For localhost, 127.0.0.1, 127.0.0.2, ::1, example.test and *.example.test; 90 days from now. */
  readonly good: TestCertificate
  /** Ended on 2025-02-01. */
  readonly expired: TestCertificate
  /** Begins in 2090. */
  readonly notYetValid: TestCertificate
  /** For other.example.org only. */
  readonly wrongHost: TestCertificate
  readonly selfSigned: TestCertificate
  /** Good, but sent without its intermediate. */
  readonly incomplete: TestCertificate
  /** Good but for its key, RSA with 1024 bits. */
  readonly weak: TestCertificate
}

export type CertificateKind = {
  [K in keyof TestCertificates]: TestCertificates[K] extends TestCertificate ? K : never
}[keyof TestCertificates]

let made: TestCertificates | undefined

export function certificates(): TestCertificates {
  return (made ??= copied())
}

const NAMES = 'DNS:localhost,DNS:example.test,DNS:*.example.test,IP:127.0.0.1,IP:127.0.0.2,IP:::1'

interface Wanted {
  readonly names?: string
  /** `openssl ca` form, YYYYMMDDHHMMSSZ. */
  readonly begin?: string
  readonly end?: string
  readonly bits?: number
}

/** A folder of our own: the authority issues further leaves there. */
function copied(): TestCertificates {
  const dir = mkdtempSync(join(tmpdir(), 'watchpost-certificates-'))
  hireUndertaker(dir)
  cpSync(artifactSync('certificates', makeAll), dir, { recursive: true })
  const bench = workbench(dir)
  const leaf = (name: keyof typeof LEAVES): TestCertificate => collect(bench, filesOf(name))
  const good = leaf('good')
  return {
    dir,
    ca: bench.read('ca.crt'),
    caPath: join(dir, 'ca.crt'),
    intermediate: bench.read('int.crt'),
    good,
    expired: leaf('expired'),
    notYetValid: leaf('not-yet-valid'),
    wrongHost: leaf('wrong-host'),
    selfSigned: collect(bench, SELF_SIGNED),
    incomplete: { ...good, chain: good.cert, chainPath: good.certPath },
    weak: leaf('weak'),
  }
}

const LEAVES: Readonly<
  Record<'good' | 'expired' | 'not-yet-valid' | 'wrong-host' | 'weak', Wanted>
> = {
  good: {},
  expired: { begin: '20250101000000Z', end: '20250201000000Z' },
  'not-yet-valid': { begin: '20900101000000Z', end: '20910101000000Z' },
  'wrong-host': { names: 'DNS:other.example.org' },
  weak: { bits: 1024 },
}

function makeAll(dir: string): void {
  const bench = workbench(dir)
  makeAuthorities(bench)
  bench.openssl('genrsa -out leaf.key 2048')
  for (const name of Object.keys(LEAVES) as (keyof typeof LEAVES)[]) issue(bench, name)
  signItself(bench)
}

interface LeafFiles {
  readonly cert: string
  readonly key: string
  readonly chain: string
}

function filesOf(name: keyof typeof LEAVES): LeafFiles {
  const key = LEAVES[name].bits === undefined ? 'leaf.key' : `${name}.key`
  return { cert: `${name}.crt`, key, chain: `${name}.chain.crt` }
}

const SELF_SIGNED: LeafFiles = {
  cert: 'self-signed.crt',
  key: 'leaf.key',
  chain: 'self-signed.crt',
}

interface Workbench {
  readonly dir: string
  /** Arguments separated by single spaces; a list for those that hold spaces. */
  openssl(args: string | readonly string[]): void
  read(name: string): string
  write(name: string, text: string): void
}

function workbench(dir: string): Workbench {
  return {
    dir,
    openssl: (args) => {
      const list = typeof args === 'string' ? args.split(' ') : args
      execFileSync('openssl', list, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
    },
    read: (name) => readFileSync(join(dir, name), 'utf8'),
    write: (name, text) => writeFileSync(join(dir, name), text),
  }
}

function makeAuthorities(bench: Workbench): void {
  bench.write('authority.cnf', AUTHORITY_CONFIG)
  bench.write('index.txt', '')
  bench.write('serial', '1000\n')
  const request = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  bench.openssl([
    ...['req', '-x509', ...request, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '3650'],
    ...['-config', 'authority.cnf', '-extensions', 'root', '-subj', '/CN=watchpost test root'],
  ])
  bench.openssl([
    ...['req', '-new', ...request, '-keyout', 'int.key', '-out', 'int.csr'],
    ...['-config', 'authority.cnf', '-subj', '/CN=watchpost test intermediate'],
  ])
  bench.openssl(
    'x509 -req -in int.csr -CA ca.crt -CAkey ca.key -set_serial 2 -out int.crt -days 3650 -extfile authority.cnf -extensions intermediate',
  )
}

function issue(bench: Workbench, name: keyof typeof LEAVES): void {
  const wanted = LEAVES[name]
  const { cert, key, chain } = filesOf(name)
  if (wanted.bits !== undefined) bench.openssl(`genrsa -out ${key} ${wanted.bits}`)
  bench.openssl(
    `req -new -key ${key} -out ${name}.csr -config authority.cnf -subj /CN=${commonName(wanted)}`,
  )
  bench.write(`${name}.ext`, leafExtensions(wanted.names ?? NAMES))
  const dates =
    wanted.begin === undefined || wanted.end === undefined
      ? '-days 90'
      : `-startdate ${wanted.begin} -enddate ${wanted.end}`
  bench.openssl(
    `ca -batch -notext -config authority.cnf -cert int.crt -keyfile int.key -in ${name}.csr -out ${cert} ${dates} -extfile ${name}.ext`,
  )
  bench.write(chain, bench.read(cert) + bench.read('int.crt'))
}

function signItself(bench: Workbench): void {
  const { cert } = SELF_SIGNED
  bench.write('self-signed.ext', leafExtensions(NAMES))
  bench.openssl('req -new -key leaf.key -out self.csr -config authority.cnf -subj /CN=localhost')
  bench.openssl(
    `x509 -req -in self.csr -signkey leaf.key -days 90 -out ${cert} -extfile self-signed.ext`,
  )
}

function collect(bench: Workbench, files: LeafFiles): TestCertificate {
  return {
    cert: bench.read(files.cert),
    key: bench.read(files.key),
    chain: bench.read(files.chain),
    certPath: join(bench.dir, files.cert),
    keyPath: join(bench.dir, files.key),
    chainPath: join(bench.dir, files.chain),
  }
}

function commonName(wanted: Wanted): string {
  return wanted.names === undefined ? 'localhost' : 'other.example.org'
}

function leafExtensions(names: string): string {
  return `basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature,keyEncipherment
extendedKeyUsage=serverAuth
subjectAltName=${names}
`
}

const AUTHORITY_CONFIG = `
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
[intermediate]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
[ca]
default_ca = leaves
[leaves]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = optional
`
