/**
 * Settings of types that speak TLS: whether they do, and the certificate with which a check authenticates itself.
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { defineField } from '../fields/field.ts'
import type { FieldBuilder } from '../fields/field.ts'
import type { Problems } from '../fields/parse.ts'
import { textSchema } from '../fields/text.ts'
import { field } from '../fields/vocabulary.ts'
import { identityProblem } from '../net/connection/client-identity.ts'
import type { ClientIdentity } from '../net/connection/client-identity.ts'
import { DER_TAGS, elementsIn, firstOf, oidHex, smallNumber } from './der.ts'
import type { DerElement } from './der.ts'

/** A certificate is 1 to 3 KiB of PEM, a key of 4096 bits 3.4 KiB. */
const CERT_CHARACTERS = 32_768
const KEY_CHARACTERS = 8192
const MAX_CERTIFICATES = 10

/** A signature with a longer key takes more than 20 ms of a turn of the event loop. */
const MAX_RSA_BITS = 4096

/** As OpenSSL: 2048. The key is derived in one turn of the event loop: 10,000 rounds take 5 ms. */
const MAX_ROUNDS = 10_000

/** For types that speak TLS from the first byte, or not at all. */
export const tlsFields = {
  tls: field
    .flag({
      description: 'Speak TLS from the first byte',
      aliases: { none: false, implicit: true },
      destination: [false],
    })
    .default(false),
  ignore_tls_errors: field
    .flag({ description: 'Accept any certificate', destination: [true] })
    .default(false),
}

export const clientCertificateFields = {
  tls_cert: certificateField(),
  tls_key: keyField(),
  tls_key_pass: field.secret({ description: 'Passphrase of tls_key, where it is encrypted' }),
}

export interface ClientCertificate {
  readonly tls_cert?: string | undefined
  readonly tls_key?: string | undefined
  readonly tls_key_pass?: string | undefined
}

/** The identity that the settings hold. */
export function identityOf({
  tls_cert,
  tls_key,
  tls_key_pass,
}: ClientCertificate): ClientIdentity | undefined {
  if (tls_cert === undefined || tls_key === undefined) return undefined
  return { cert: tls_cert, key: tls_key, pass: tls_key_pass }
}

/** For `unused`: that nothing of the certificate is used, and why. */
export function unusedCertificate(
  given: ClientCertificate,
  why: string,
): Readonly<Record<string, string>> {
  return given.tls_cert === undefined ? {} : { tls_cert: why }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** PEM blocks, without what stands between them. */
function certificateField(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: CERT_CHARACTERS, multiline: true, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const blocks = dataset.value.match(CERTIFICATE) ?? []
      const problem = /PRIVATE KEY/.test(dataset.value)
        ? 'a private key belongs in tls_key, which is a secret'
        : chainProblem(blocks)
      if (problem === undefined) return `${blocks.join('\n')}\n`
      addIssue({ message: `invalid: ${problem}` })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      format: 'pem',
      min: 1,
      max: CERT_CHARACTERS,
      description:
        'Client certificate, PEM, for servers that ask for one; the issuers to send with it follow',
    },
    schema,
  )
}

function chainProblem(blocks: readonly string[]): string | undefined {
  if (blocks.length === 0) return 'PEM is expected: -----BEGIN CERTIFICATE----- and so on'
  if (blocks.length > MAX_CERTIFICATES) return `at most ${MAX_CERTIFICATES} certificates`
  const unreadable = blocks.findIndex((pem) => certificateIn(pem) === undefined)
  return unreadable < 0 ? undefined : `certificate ${unreadable + 1} cannot be read`
}

const KEY = /-----BEGIN ((?:RSA |EC |ENCRYPTED )?PRIVATE KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/
/** The older form of an encrypted key (RFC 1421, 4.6.1.1), derived in one round. */
const OLD_KEY =
  /-----BEGIN ((?:RSA|EC) PRIVATE KEY)-----\r?\nProc-Type: 4,ENCRYPTED\r?\nDEK-Info: [\w,-]+\s[A-Za-z0-9+/=\s]+-----END \1-----/

/** Only the first key is stored, so that OpenSSL reads exactly what was validated. */
function keyField(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: KEY_CHARACTERS, multiline: true, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const [block] = KEY.exec(dataset.value) ?? OLD_KEY.exec(dataset.value) ?? []
      if (block !== undefined) return `${block}\n`
      addIssue({ message: 'invalid: PEM is expected: -----BEGIN PRIVATE KEY----- and so on' })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      format: 'pem',
      description: `Private key of tls_cert, PEM, of at most ${MAX_RSA_BITS} bits`,
      min: 1,
      max: KEY_CHARACTERS,
      secret: 'value',
    },
    schema,
  )
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** Rules across the three; a certificate that has expired is stored, and fails where a server refuses it. */
export function clientCertificateProblems(given: ClientCertificate): Problems {
  const { tls_cert, tls_key, tls_key_pass } = given
  if (tls_key === undefined) {
    return {
      ...(tls_cert === undefined ? {} : { tls_key: 'required: tls_cert needs its private key' }),
      ...(tls_key_pass === undefined ? {} : { tls_key_pass: 'invalid: tls_key is not set' }),
    }
  }
  if (tls_cert === undefined) return { tls_cert: 'required: tls_key needs its certificate' }
  return keyProblems(tls_cert, tls_key, tls_key_pass)
}

function keyProblems(cert: string, key: string, pass: string | undefined): Problems {
  const rounds = isEncrypted(key) ? roundsOf(key) : 0
  if (rounds === undefined)
    return { tls_key: 'invalid: encrypted in another way than PKCS #8 with PBKDF2' }
  if (rounds > MAX_ROUNDS) {
    const advice = 'encrypt it again: openssl pkcs8 -topk8 -iter 2048'
    return { tls_key: `invalid: more than ${MAX_ROUNDS} rounds of PBKDF2; ${advice}` }
  }
  if (isEncrypted(key) && pass === undefined)
    return { tls_key_pass: 'required: tls_key is encrypted' }
  const parsed = keyIn(key, pass)
  if (parsed === undefined) {
    return isEncrypted(key)
      ? { tls_key_pass: 'invalid: it does not decrypt tls_key' }
      : { tls_key: 'invalid: the key cannot be read' }
  }
  const problem =
    kindProblem(parsed) ?? pairProblem(cert, parsed) ?? identityProblem({ cert, key, pass })
  return problem === undefined ? {} : { tls_key: `invalid: ${problem}` }
}

function keyIn(key: string, passphrase: string | undefined): KeyObject | undefined {
  try {
    return createPrivateKey({ key, ...(passphrase === undefined ? {} : { passphrase }) })
  } catch {
    return undefined
  }
}

const KINDS = ['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448']

function kindProblem({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject) {
  if (!KINDS.includes(type ?? '')) return `a key for ${type ?? 'this use'} does not sign for TLS`
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {}
  if (modulusLength > MAX_RSA_BITS) return `at most ${MAX_RSA_BITS} bits`
  return type === 'ec' && namedCurve === undefined ? 'its curve has no name' : undefined
}

function pairProblem(cert: string, key: KeyObject): string | undefined {
  return certificateIn(cert)?.checkPrivateKey(key) === true
    ? undefined
    : 'it does not belong to the first certificate of tls_cert'
}

function isEncrypted(key: string): boolean {
  return /^-----BEGIN ENCRYPTED|^Proc-Type/m.test(key)
}

const PBES2 = '2a864886f70d01050d'
const PBKDF2 = '2a864886f70d01050c'

/**
 * Rounds of the derivation; `undefined` if it is another one. The older form has one.
 * EncryptedPrivateKeyInfo (RFC 5958, 3) with PBES2 (RFC 8018, A.4).
 */
function roundsOf(key: string): number | undefined {
  const [, body] = /^-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)-----END/.exec(key) ?? []
  if (body === undefined) return 1
  const info = within(firstOf(Buffer.from(body, 'base64')))
  const [scheme, parameters] = within(info[0])
  const [derivation] = within(parameters)
  const [name, settings] = within(derivation)
  if (scheme === undefined || oidHex(scheme) !== PBES2) return undefined
  if (name === undefined || oidHex(name) !== PBKDF2) return undefined
  const rounds = within(settings)[1]
  return rounds?.tag === DER_TAGS.integer ? smallNumber(rounds) : undefined
}

function within(element: DerElement | undefined): readonly DerElement[] {
  return element?.tag === DER_TAGS.sequence ? elementsIn(element.content, 8) : []
}
