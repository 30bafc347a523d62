import { createHash, randomBytes } from 'node:crypto'
import { sign, verify } from '@octokit/webhooks-methods'
import { describe, expect, it } from 'vitest'
import { hmacSha256, sha256 } from '../../src/webhook/receiver-signature.ts'
import { signWebhook } from '../../src/webhook/signature.ts'
import { signWebhook as signInTest, verifyWebhook } from '../../src/webhook/verify.ts'
import { VECTORS } from './signature-vectors.ts'

const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex')
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('signWebhook', () => {
  it.each(VECTORS)('agrees with openssl about %s', (_, secret, body, digest) => {
    expect(signWebhook(fromHex(secret), fromHex(body))).toBe(`sha256=${digest}`)
    expect(signInTest(fromHex(secret), fromHex(body))).toBe(`sha256=${digest}`)
    expect(toHex(hmacSha256(fromHex(secret), fromHex(body)))).toBe(digest)
  })

  it('takes text as UTF-8', () => {
    for (const sign of [signWebhook, signInTest]) {
      expect(sign('ключ', 'тело')).toBe(sign(Buffer.from('ключ'), Buffer.from('тело')))
    }
  })

  it('makes what @octokit/webhooks-methods accepts, and accepts what that makes', async () => {
    const sent_at = new Date().toISOString()
    for (let n = 1; n <= 20; n++) {
      const secret = randomBytes(24).toString('base64')
      const text = randomBytes(20).toString('latin1')
      const body = JSON.stringify({ event: 'test', notification_id: n, sent_at, text })
      expect(await verify(secret, body, signWebhook(secret, body))).toBe(true)
      const header = await sign(secret, body)
      expect(verifyWebhook({ body, header, secret })).toMatchObject({ ok: true })
    }
  })

  it('does not sign with an empty secret', () => {
    const empty = new TypeError('The secret of a webhook signature is empty')
    for (const sign of [signWebhook, signInTest]) {
      expect(() => sign('', 'body')).toThrow(empty)
      expect(() => sign(new Uint8Array(0), 'body')).toThrow(empty)
    }
  })
})

describe("the receiver's own SHA-256", () => {
  it('agrees with node:crypto on every length around the block size', () => {
    for (let length = 0; length <= 300; length++) {
      const message = randomBytes(length)
      const expected = createHash('sha256').update(message).digest('hex')
      expect(toHex(sha256(message))).toBe(expected)
    }
  })
})
