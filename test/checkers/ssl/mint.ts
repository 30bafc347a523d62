/**
 * Certificates beyond those that all tests share, issued by the same test authority.
 *
 * @module
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certificates } from '../../support/certificates.ts'
import type { TestCertificate } from '../../support/certificates.ts'

export interface Wanted {
  /** `subjectAltName`; `null` for none at all. Default `DNS:localhost,IP:127.0.0.1`. */
  readonly names?: string | null
  /** Default `localhost`; `null` for an empty subject. */
  readonly commonName?: string | null
  /** Extended key usages. Default `serverAuth`. */
  readonly usage?: string
  readonly begin?: Date
  readonly end?: Date
  /** Lines for the extensions section. */
  readonly extensions?: string
  /** `pathTo`: the root itself issues it. Default: the shared intermediate. */
  readonly issuer?: Issuer
}

export interface Issuer {
  readonly certPath: string
  readonly keyPath: string
  /** What a server sends behind the leaf, PEM. */
  readonly chain: string
}

const SECOND_MS = 1000

/** A leaf with a key of its own on the curve P-256. */
export function mint(wanted: Wanted = {}): TestCertificate {
  const { usage = 'serverAuth', issuer = sharedIntermediate() } = wanted
  const { names = 'DNS:localhost,IP:127.0.0.1' } = wanted
  const extensions = [
    'basicConstraints=critical,CA:FALSE',
    `extendedKeyUsage=${usage}`,
    ...(names === null ? [] : [`subjectAltName=${names}`]),
    wanted.extensions ?? '',
  ]
  const { certPath, keyPath } = sign({ ...wanted, extensions: extensions.join('\n') }, issuer)
  const cert = readFileSync(certPath, 'utf8')
  const chain = cert + issuer.chain
  const chainPath = `${certPath}.chain`
  writeFileSync(chainPath, chain)
  return { cert, key: readFileSync(keyPath, 'utf8'), chain, certPath, keyPath, chainPath }
}

/** An intermediate below the test root. */
export function mintIssuer(
  wanted: Pick<Wanted, 'begin' | 'end' | 'commonName' | 'extensions'>,
): Issuer {
  const extensions = [
    'basicConstraints=critical,CA:TRUE,pathlen:0',
    'keyUsage=critical,keyCertSign',
    wanted.extensions ?? '',
  ]
  const signed = sign({ ...wanted, extensions: extensions.join('\n') }, sharedRoot())
  return { ...signed, chain: readFileSync(signed.certPath, 'utf8') }
}

function sign(wanted: Wanted, issuer: Issuer): { certPath: string; keyPath: string } {
  const shared = certificates().dir
  const dir = mkdtempSync(join(shared, 'minted-'))
  const at = (name: string): string => join(dir, name)
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: shared, stdio: ['ignore', 'ignore', 'pipe'] })
  const { begin = new Date(Date.now() - 3_600_000), end, commonName = 'localhost' } = wanted
  const last = end ?? new Date(begin.getTime() + 90 * 86_400_000)
  writeFileSync(at('ext'), wanted.extensions ?? '')
  openssl(
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', at('key'), '-out', at('csr'), '-config', 'authority.cnf'],
    ...['-subj', commonName === null ? '/' : `/CN=${commonName}`],
  )
  openssl(
    ...['ca', '-batch', '-notext', '-config', 'authority.cnf', '-rand_serial'],
    ...['-cert', issuer.certPath, '-keyfile', issuer.keyPath, '-in', at('csr'), '-out', at('crt')],
    ...['-startdate', asn1(begin), '-enddate', asn1(last), '-extfile', at('ext')],
  )
  return { certPath: at('crt'), keyPath: at('key') }
}

export function sharedIntermediate(): Issuer {
  const { dir, intermediate } = certificates()
  return { certPath: join(dir, 'int.crt'), keyPath: join(dir, 'int.key'), chain: intermediate }
}

export function sharedRoot(): Issuer {
  const { dir, caPath } = certificates()
  return { certPath: caPath, keyPath: join(dir, 'ca.key'), chain: '' }
}

function asn1(date: Date): string {
  const whole = new Date(Math.floor(date.getTime() / SECOND_MS) * SECOND_MS)
  return `${whole.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
}
