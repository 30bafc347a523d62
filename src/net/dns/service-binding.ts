/**
 * The part of an HTTPS or SVCB record that names the connection endpoint.
 *
 * Source: RFC 9460, 2.2 and 7.3
 *
 * @module
 */

export interface ServiceBinding {
  /** Lower case; `.` is the owner of the record itself. */
  readonly target: string
  readonly addresses: readonly string[]
}

const IPV4_HINT = 4
const IPV6_HINT = 6

/** Reads `\# <length> <hex>` (RFC 3597); `undefined` if the data is invalid. */
export function bindingAddresses(text: string): ServiceBinding | undefined {
  const hex = /^\\# \d+ ((?:[0-9a-f]{2})+)$/.exec(text)?.[1]
  if (hex === undefined) return undefined
  try {
    return read(Buffer.from(hex, 'hex'))
  } catch (error) {
    // Truncated: a length points beyond the end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function read(data: Buffer): ServiceBinding | undefined {
  const labels: string[] = []
  let at = 2
  for (let length = data.readUInt8(at++); length > 0; length = data.readUInt8(at++)) {
    labels.push(data.toString('latin1', at, at + length).toLowerCase())
    at += length
  }
  const addresses: string[] = []
  while (at < data.length) {
    const key = data.readUInt16BE(at)
    const end = at + 4 + data.readUInt16BE(at + 2)
    if (end > data.length) return undefined
    const value = data.subarray(at + 4, end)
    if (key === IPV4_HINT) addresses.push(...split(value, 4).map(ipv4))
    if (key === IPV6_HINT) addresses.push(...split(value, 16).map(ipv6))
    at = end
  }
  return { target: labels.join('.') || '.', addresses }
}

function split(value: Buffer, size: number): readonly Buffer[] {
  const count = Math.floor(value.length / size)
  return Array.from({ length: count }, (_, n) => value.subarray(n * size, (n + 1) * size))
}

function ipv4(ip: Buffer): string {
  return [...ip].join('.')
}

function ipv6(ip: Buffer): string {
  return ip.toString('hex').replace(/.{4}(?=.)/g, '$&:')
}
