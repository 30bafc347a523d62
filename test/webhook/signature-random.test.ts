/** The two implementations of the signature against each other, with much input: slow under instrumentation. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hmacSha256, sha256 } from '../../src/webhook/receiver-signature.ts'
import { signWebhook } from '../../src/webhook/signature.ts'
import { signWebhook as signInTest } from '../../src/webhook/verify.ts'

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('signWebhook', () => {
  it('is the same at the sender and at the receiver, whatever the text is', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    const anything = fc.oneof(text, fc.constant('\ud800'), fc.uint8Array({ maxLength: 200 }))
    fc.assert(
      fc.property(anything, anything, (secret, body) => {
        fc.pre(secret.length > 0)
        expect(signInTest(secret, body)).toBe(signWebhook(secret, body))
      }),
    )
  })
})

describe("the receiver's own SHA-256", () => {
  it('agrees with node:crypto on thousands of random keys and messages', () => {
    for (let n = 0; n < 3000; n++) {
      const key = randomBytes(n % 150)
      const message = randomBytes((n * 7) % 700)
      const expected = createHmac('sha256', key).update(message).digest('hex')
      expect(toHex(hmacSha256(key, message))).toBe(expected)
    }
  })

  it('agrees with node:crypto on a body of 1 MiB', () => {
    const message = randomBytes(2 ** 20)
    expect(toHex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'))
  })
})
