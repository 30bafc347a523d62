/**
 * A connection for several requests, one after the other. node:http gets a stream for each of them, so that nothing of
 * one request stays on the socket, and a byte that no request has asked for ends the connection.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { waitsToBeRead } from '../connection/paced-reading.ts'
import { streamOn } from '../connection/stream-over.ts'

export interface KeptSocket {
  /** The stream of the next request. `isAnswered`: whether its answer is complete. */
  begin(isAnswered: () => boolean): Duplex
  /** Whether anything has arrived since. */
  heard(): boolean
  /** Ends the request. Whether another one may follow: the answer ended with the last byte that arrived. */
  finish(): boolean
}

export function createKeptSocket(socket: Socket): KeptSocket {
  let stream: Duplex | undefined
  let isAnswered = (): boolean => false
  let listening = false
  let heard = false
  let exact = true

  /**
   * node:http drops what follows an answer in the same chunk. With the last byte passed on by itself, an answer that is
   * complete before it does not end with the chunk.
   */
  function take(bytes: Buffer): void {
    heard = true
    if (stream === undefined) return void socket.destroy()
    if (isAnswered()) exact = false
    const last = bytes.length - 1
    if (last > 0) {
      stream.push(bytes.subarray(0, last))
      if (isAnswered()) exact = false
    }
    const isRead = stream.push(bytes.subarray(last))
    // What waits here has not been compared with the end of the answer.
    if (stream.readableLength > 0) exact = false
    if (!isRead) socket.pause()
  }

  function listen(): void {
    if (listening) return
    listening = true
    // An answer from before the request.
    if (waitsToBeRead(socket)) exact = false
    socket
      .on('data', take)
      .on('end', () => (stream === undefined ? socket.destroy() : stream.push(null)))
      .on('error', (error) => stream?.destroy(error))
      .on('close', () => stream?.destroy())
  }

  return {
    begin(answered) {
      heard = false
      isAnswered = answered
      stream = streamOn(socket)
      listen()
      return stream
    },
    heard: () => heard,
    finish() {
      stream = undefined
      return exact && !waitsToBeRead(socket) && socket.readable && socket.writable
    },
  }
}
