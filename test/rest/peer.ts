/** A socket of a server that is told what it has, and requests on it. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** What is read of a socket, and what was done to it. */
export class Peer extends EventEmitter {
  remoteAddress: string | undefined
  remotePort = 1
  bytesRead = 0
  writableLength = 0
  writable = true
  destroyed = false
  _handle: { writeQueueSize: number } | undefined
  readonly done: string[] = []

  constructor(remoteAddress?: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  destroy() {
    this.end('destroyed')
  }
  resetAndDestroy() {
    this.end('reset')
  }
  destroySoon() {
    this.end('ended')
  }
  write(text: string) {
    this.done.push(text)
  }
  private end(how: string) {
    this.done.push(how)
    this.destroyed = true
  }
  get socket() {
    return this as unknown as Socket
  }
}

/** A request as it arrives on this socket. */
export function received(peer: Peer, headers: Readonly<Record<string, string>> = {}) {
  const request = {
    ...{ socket: peer, complete: true, url: '/', rawHeaders: Object.entries(headers).flat() },
    push: (_chunk: unknown) => true,
  }
  return request as unknown as IncomingMessage
}
