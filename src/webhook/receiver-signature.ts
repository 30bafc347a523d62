/**
 * {@link file://./signature.ts} in plain JavaScript, with SHA-256 and HMAC, so that a receiver can verify
 * signatures, and create them for its tests, on any runtime.
 *
 * @module
 */

/**
 * The value of the signature header: `sha256=` and the HMAC-SHA256 of the body in lower-case hex. The key
 * is the secret as typed, in UTF-8: neither trimmed nor decoded. A body in text form is taken as UTF-8.
 *
 * @throws TypeError where the secret is empty: a signature that everybody can make is none
 */
export function signWebhook(secret: string | Uint8Array, body: string | Uint8Array): string {
  if (secret.length === 0) throw new TypeError('The secret of a webhook signature is empty')
  const digest = hmacSha256(bytesOf(secret), bytesOf(body))
  return `sha256=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data
}

// SHA-256 (FIPS 180-4) and HMAC (FIPS 198-1); unlike Web Crypto synchronous.

const BLOCK_BYTES = 64

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const ROUND = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)))
/** The same of the square roots of the first eight (5.3.3). */
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)))

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key)
  const inner = sha256(
    block.map((byte) => byte ^ 0x36),
    message,
  )
  return sha256(
    block.map((byte) => byte ^ 0x5c),
    inner,
  )
}

/** The digest of the concatenated parts. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const message = padded(parts)
  const state = START.slice()
  const schedule = new Uint32Array(64)
  for (let at = 0; at < message.byteLength; at += BLOCK_BYTES) {
    for (let word = 0; word < 16; word++) schedule[word] = message.getUint32(at + word * 4)
    compress(state, schedule)
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => digest.setUint32(index * 4, word))
  return new Uint8Array(digest.buffer)
}

/** Message, one bit, zeros, and the length in bits as 64-bit number, to whole blocks. */
function padded(parts: readonly Uint8Array[]): DataView {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(Math.ceil((length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  bytes[length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(length / 2 ** 29))
  view.setUint32(bytes.length - 4, length << 3)
  return view
}

/** Indices are within bounds by construction; `?? 0` satisfies the compiler. */
function compress(state: Uint32Array, w: Uint32Array): void {
  for (let t = 16; t < 64; t++) {
    const w2 = w[t - 2] ?? 0
    const w15 = w[t - 15] ?? 0
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10)
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3)
    w[t] = s1 + (w[t - 7] ?? 0) + s0 + (w[t - 16] ?? 0)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const choice = (e & f) ^ (~e & g)
    const t1 = (h + big1 + choice + (ROUND[t] ?? 0) + (w[t] ?? 0)) | 0
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + big0 + majority) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] ?? 0) + word
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

function primes(count: number): number[] {
  const found: number[] = []
  for (let n = 2; found.length < count; n++) {
    if (found.every((prime) => n % prime !== 0)) found.push(n)
  }
  return found
}

/** A double holds 49 bits or more of these fractions, so the first 32 are exact. */
function fraction(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}
