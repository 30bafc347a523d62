/**
 * Maps errors of Node and OpenSSL in a TLS handshake to causes.
 *
 * Sources: `X509_V_ERR_*` of OpenSSL's verify(1) as named by Node; reasons of OpenSSL's SSL
 * library.
 *
 * @module
 */

import type { Cause } from '../failure.ts'
import { clientCertificateCause } from './client-identity.ts'

const EXPIRED = 'The certificate of {target}, or one of its chain, has expired'
const NOT_YET_VALID = 'The certificate of {target}, or one of its chain, is not valid yet'
const UNTRUSTED = 'The certificate of {target} is not issued by a trusted authority'
const REFUSED = 'The certificate of {target}, or one of its chain, is not acceptable'

const CERTIFICATE: Readonly<Record<string, Cause>> = {
  CERT_HAS_EXPIRED: ['tls_expired', EXPIRED],
  ERROR_IN_CERT_NOT_AFTER_FIELD: ['tls_expired', EXPIRED],
  CERT_NOT_YET_VALID: ['tls_not_yet_valid', NOT_YET_VALID],
  ERROR_IN_CERT_NOT_BEFORE_FIELD: ['tls_not_yet_valid', NOT_YET_VALID],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls_self_signed', 'The certificate of {target} is self-signed'],
  // The server also sent the root certificate, which is always self-signed.
  SELF_SIGNED_CERT_IN_CHAIN: ['tls_untrusted', UNTRUSTED],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'tls_chain_incomplete',
    '{target} does not send the certificates between its own and a trusted authority',
  ],
  UNABLE_TO_GET_ISSUER_CERT: ['tls_untrusted', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls_untrusted', UNTRUSTED],
  CERT_UNTRUSTED: ['tls_untrusted', UNTRUSTED],
  CERT_REJECTED: ['tls_untrusted', REFUSED],
  CERT_CHAIN_TOO_LONG: ['tls_untrusted', REFUSED],
  PATH_LENGTH_EXCEEDED: ['tls_untrusted', REFUSED],
  INVALID_CA: ['tls_untrusted', REFUSED],
  INVALID_PURPOSE: ['tls_untrusted', REFUSED],
  CERT_SIGNATURE_FAILURE: ['tls_untrusted', REFUSED],
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: ['tls_untrusted', REFUSED],
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: ['tls_untrusted', REFUSED],
  // Errors without a name in Node, such as keys and digests that are too weak.
  UNSPECIFIED: ['tls_untrusted', REFUSED],
  CERT_REVOKED: ['tls_revoked', 'The certificate of {target} has been revoked'],
  HOSTNAME_MISMATCH: ['tls_name_mismatch', 'The certificate of {target} is for another name'],
  ERR_TLS_CERT_ALTNAME_FORMAT: ['tls_name_mismatch', REFUSED],
}

/** OpenSSL reasons for bytes that are not a TLS record. */
const NOT_TLS =
  /wrong version number|packet length too long|http request|bad record type|record layer failure/i

const NO_COMMON_GROUND =
  /protocol version|unsupported protocol|no protocols available|wrong ssl version|no shared cipher|no ciphers available|legacy sigalg|legacy renegotiation|key too small|no suitable/i

/** `undefined` if the error is not a TLS error. */
export function asTlsCause(error: unknown, target: string): Cause | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return nameMismatch(error, target)
  const ofOurs = clientCertificateCause(error, target)
  if (ofOurs !== undefined) return ofOurs
  const known =
    code !== undefined && Object.hasOwn(CERTIFICATE, code) ? CERTIFICATE[code] : undefined
  const [cause_code, text] = known ?? openSsl(error) ?? []
  if (cause_code === undefined || text === undefined) return undefined
  return [cause_code, text.replace('{target}', () => target)]
}

function openSsl(error: Error): Cause | undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  // Node puts the reason into the code or, for errors while writing, only into the message of an
  // EPROTO.
  const reason = /:SSL routines:[^:]*:([^:\n]+)/.exec(error.message)?.[1]?.toLowerCase()
  if (reason === undefined && !code.startsWith('ERR_SSL_')) return undefined
  const said = reason ?? code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ')
  if (NOT_TLS.test(said)) return ['tls_not_tls', '{target} does not speak TLS on this port']
  if (NO_COMMON_GROUND.test(said)) {
    return ['tls_protocol', `{target} has no TLS version or cipher in common with us (${said})`]
  }
  return ['tls_handshake', `The TLS handshake with {target} failed (${said})`]
}

/** Maximum characters of certificate names in a cause text. */
const NAMES_SHOWN = 200

function nameMismatch(error: Error, target: string): Cause {
  const { cert } = error as { cert?: { subjectaltname?: unknown; subject?: { CN?: unknown } } }
  const names = cert?.subjectaltname ?? cert?.subject?.CN
  // The names come from the server: they are reduced to printable ASCII and shortened.
  const shown = typeof names === 'string' ? names.replace(/[^\x20-\x7e]/g, '?') : ''
  const cut = shown.length > NAMES_SHOWN ? `${shown.slice(0, NAMES_SHOWN)}…` : shown
  return [
    'tls_name_mismatch',
    `The certificate of ${target} is for another name${cut === '' ? '' : ` (${cut})`}`,
  ]
}
