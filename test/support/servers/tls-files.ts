/**
 * The certificate of a private server, as files in its own directory: `tls/chain.pem`, `tls/key.pem`,
 * `tls/intermediate.pem` and `tls/ca.pem`.
 *
 * @module
 */

import type { CertificateKind } from '../certificates.ts'
import { certificates } from '../certificates.ts'

export type { CertificateKind }

export function tlsFiles(kind: CertificateKind = 'good'): Record<string, string> {
  const made = certificates()
  return {
    'tls/chain.pem': made[kind].chain,
    'tls/key.pem': made[kind].key,
    'tls/intermediate.pem': made.intermediate,
    'tls/ca.pem': made.ca,
  }
}
