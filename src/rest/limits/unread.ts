/**
 * Responses that their clients do not read wait in memory. Where all together have too many bytes, connections end:
 * those with the most left to read, of the client with the most. Of two clients that wait for the same response, the one
 * that reads has less left. A client that reads a long response may end before many that wait for short ones.
 *
 * @module
 */

import { unwritten, waitingSince } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { Limits } from './options.ts'

/** A single response may be longer than all are allowed to be together. */
export function endUnread(
  connections: Pick<Connections, 'all' | 'end'>,
  { maxUnreadBytes }: Pick<Limits, 'maxUnreadBytes'>,
): void {
  let unread = [...connections.all].filter((each) => !each.upgraded && unreadBytes(each) > 0)
  while (unread.length > 1 && sum(unread, unreadBytes) > maxUnreadBytes) {
    const victim = largest(groupWithMost(unread))
    unread = unread.filter((each) => each !== victim)
    connections.end(victim, 'maxUnreadBytes')
  }
}

/** A buffer stays in memory until all of it is written. */
function unreadBytes({ socket }: Connection): number {
  return socket.writableLength
}

function leftBytes({ socket }: Connection): number {
  return unwritten(socket)
}

function sum(connections: readonly Connection[], bytesOf: (one: Connection) => number): number {
  return connections.reduce((bytes, each) => bytes + bytesOf(each), 0)
}

function groupWithMost(connections: readonly Connection[]): readonly Connection[] {
  const groups = new Map<string | undefined, Connection[]>()
  for (const each of connections) {
    const group = groups.get(each.client)
    if (group === undefined) groups.set(each.client, [each])
    else group.push(each)
  }
  return [...groups.values()].reduce((most, each) => {
    const more = sum(each, leftBytes) - sum(most, leftBytes)
    return more > 0 || (more === 0 && sinceOf(each) < sinceOf(most)) ? each : most
  })
}

/** Since when one of them has not read. */
function sinceOf(connections: readonly Connection[]): number {
  return Math.min(...connections.map((each) => waitingSince(each) ?? Infinity))
}

/** Of equal ones the one that has not read for longer. */
function largest(connections: readonly Connection[]): Connection {
  return connections.reduce((most, each) => {
    const more = leftBytes(each) - leftBytes(most)
    return more > 0 || (more === 0 && sinceOf([each]) < sinceOf([most])) ? each : most
  })
}
