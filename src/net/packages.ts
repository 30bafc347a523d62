/**
 * Loads the optional packages of the network ahead of use.
 *
 * @module
 */

import { loadCodec } from './dns/message.ts'

/**
 * Loads the DNS package at start. If a process has run out of file descriptors, Node 20 fails to
 * find the package and caches that failure until a restart.
 */
export async function loadPackages(): Promise<void> {
  // A missing package is reported when it is needed.
  await Promise.allSettled([loadCodec()])
}
