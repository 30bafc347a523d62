/**
 * The certificate of a private server, as files in its own directory: `tls/chain.pem`, `tls/key.pem`,
 * `tls/intermediate.pem` and `tls/ca.pem`.
 *
 * @module
 */

import type { CertificateKind, TestCertificate } from '../certificates.ts'
import { certificates } from '../certificates.ts'

export type { CertificateKind }

export function tlsFiles(
  which: CertificateKind | TestCertificate = 'good',
): Record<string, string> {
  const made = certificates()
  const { chain, key } = typeof which === 'string' ? made[which] : which
  return {
    'tls/chain.pem': chain,
    'tls/key.pem': key,
    'tls/intermediate.pem': made.intermediate,
    'tls/ca.pem': made.ca,
  }
}
