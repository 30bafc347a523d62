import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import type { CertificateKind } from './certificates.ts'
import { certificates } from './certificates.ts'

/** What a client that trusts the root alone says about each leaf. */
const VERDICTS: Record<CertificateKind, string> = {
  good: 'authorized',
  expired: 'CERT_HAS_EXPIRED',
  notYetValid: 'CERT_NOT_YET_VALID',
  wrongHost: 'ERR_TLS_CERT_ALTNAME_INVALID',
  selfSigned: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  incomplete: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  weak: 'authorized',
}

describe('test certificates', () => {
  it.each(Object.entries(VERDICTS))('%s is judged %s', async (kind, verdict) => {
    const { ca } = certificates()
    const { chain, key } = certificates()[kind as CertificateKind]
    const ciphers = 'ALL:@SECLEVEL=0'
    const server = createServer({ cert: chain, key, ciphers }).listen(0, '127.0.0.1')
    server.on('tlsClientError', () => {})
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ciphers })
    const heard = await Promise.race([
      once(socket, 'secureConnect').then(() => 'authorized'),
      once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code),
    ]).catch((error: NodeJS.ErrnoException) => error.code)
    socket.destroy()
    server.close()
    expect(heard).toBe(verdict)
  })

  it('is made once per process, and each text is also a file', () => {
    expect(certificates()).toBe(certificates())
    for (const path of [certificates().caPath, certificates().good.chainPath]) {
      expect(existsSync(path)).toBe(true)
    }
  })

  it('has a weak key in the weak leaf only', () => {
    const bits = (kind: CertificateKind): number | undefined =>
      new X509Certificate(certificates()[kind].cert).publicKey.asymmetricKeyDetails?.modulusLength
    expect(bits('weak')).toBe(1024)
    expect(bits('good')).toBe(2048)
  })
})
