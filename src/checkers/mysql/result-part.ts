/**
 * Which part of the answer to a command a packet is, as the driver sees it: only rows are long.
 *
 * Source: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response.html
 *
 * @module
 */

const OK = 0x00
const LOCAL_FILE = 0xfb
const ERROR = 0xff
const END_OF_ROWS = 0xfe
/** A longer packet that begins like this one is a row. */
const END_BYTES = 8

export interface ResultParts {
  /** A command was sent. */
  begin(): void
  /** Whether this packet, without its head, is a row; called for each packet. */
  isRow(payload: Buffer): boolean
}

export function resultParts(): ResultParts {
  let next: 'head' | 'columns' | 'end of columns' | 'rows' = 'head'
  let columns = 0

  function pass(payload: Buffer): void {
    const isEnd = payload[0] === END_OF_ROWS && payload.length <= END_BYTES
    if (payload[0] === ERROR) next = 'head'
    else if (next === 'head') {
      columns = columnsOf(payload)
      if (columns > 0) next = 'columns'
    } else if (next === 'columns') {
      columns -= 1
      if (columns === 0) next = 'end of columns'
    } else if (next === 'end of columns') next = 'rows'
    else if (isEnd) next = 'head'
  }

  return {
    begin: () => void (next = 'head'),
    isRow(payload) {
      const isRow = next === 'rows'
      pass(payload)
      return isRow
    },
  }
}

/** A length-encoded integer; 0 where no columns follow. */
function columnsOf(payload: Buffer): number {
  const [first = OK] = payload
  if (first === OK || first === LOCAL_FILE) return 0
  if (first < LOCAL_FILE) return first
  const bytes = first === 0xfc ? 2 : 3
  if (first === END_OF_ROWS) return Infinity
  return payload.length > bytes ? payload.readUIntLE(1, bytes) : 0
}
