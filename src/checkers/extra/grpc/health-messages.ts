/**
 * The two messages of grpc.health.v1 in the encoding of protocol buffers
 * (https://protobuf.dev/programming-guides/encoding/).
 *
 * @module
 */

/** `HealthCheckResponse.ServingStatus`. */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const
export type ServingStatus = (typeof STATUSES)[number]

/** `HealthCheckRequest`: field 1, a string. */
export function requestMessage(service: string): Buffer {
  const name = Buffer.from(service, 'utf8')
  if (name.length === 0) return name
  return Buffer.concat([Buffer.of(0x0a, ...varint(name.length)), name])
}

/** The status of a `HealthCheckResponse`: field 1, an enum; `undefined` for any other message. */
export function servingStatus(message: Uint8Array): ServingStatus | undefined {
  let status = 0
  for (let at = 0; at < message.length;) {
    const tag = readVarint(message, at)
    const value = tag === undefined ? undefined : readVarint(message, tag.end)
    if (tag === undefined || value === undefined) return undefined
    const kind = tag.value & 7
    if (kind !== 0 && kind !== 2) return undefined
    if (tag.value === 8) status = value.value
    at = kind === 0 ? value.end : value.end + value.value
    if (at > message.length) return undefined
  }
  return STATUSES[status]
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]
}

/** At most four bytes: no field of these messages needs more. */
function readVarint(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0
  for (let at = from; at < Math.min(bytes.length, from + 4); at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 127) * 2 ** (7 * (at - from))
    if (byte < 128) return { value, end: at + 1 }
  }
  return undefined
}
