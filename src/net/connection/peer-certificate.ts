/**
 * Reads the certificate of a server without the list of its extended key usages. Node 20 and 22 end the process, by a
 * segmentation fault, where they make that list of a certificate with an identifier of more than 586 bytes in it.
 * `getPeerCertificate` makes it of the certificate of a server and of each issuer that the server sends, and a TLS
 * socket calls it by itself once the chain is verified.
 *
 * @module
 */

import type { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import type { PeerCertificate } from 'node:tls'

/** What is read of a certificate, in the form of `getPeerCertificate`. */
type ReadCertificate = Pick<PeerCertificate, 'raw' | 'valid_to' | 'fingerprint256'> & {
  readonly subject: { readonly CN: string | readonly string[] | undefined }
  readonly subjectaltname: string | undefined
}

const READ = Symbol('the certificate of the peer')

type Peer = TLSSocket & { [READ]?: X509Certificate | undefined }

/** Call it before the handshake. */
export function readWithoutUsages(socket: TLSSocket): void {
  Object.assign(socket, { getPeerX509Certificate, getPeerCertificate })
}

/** Node 20 to 24 answer once per socket, and find no certificate in any form after it. */
function getPeerX509Certificate(this: Peer): X509Certificate | undefined {
  return (this[READ] ??= TLSSocket.prototype.getPeerX509Certificate.call(this))
}

function getPeerCertificate(this: Peer): Partial<ReadCertificate> {
  const x509 = getPeerX509Certificate.call(this)
  if (x509 === undefined) return {}
  const { raw, subjectAltName, validTo, fingerprint256 } = x509
  const subject = { CN: commonNameIn(x509.subject) }
  return { raw, subject, subjectaltname: subjectAltName, valid_to: validTo, fingerprint256 }
}

/** Of the lines `CN=localhost`; a line break or a plus sign in a value is escaped there. */
function commonNameIn(subject: string | undefined): string | readonly string[] | undefined {
  const parts = (subject ?? '').split(/\n| \+ /).filter((part) => part.startsWith('CN='))
  const names = parts.map((part) => part.slice('CN='.length))
  return names.length > 1 ? names : names[0]
}
