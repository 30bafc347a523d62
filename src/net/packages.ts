/**
 * The package behind DNS, which is loaded on first use.
 *
 * @module
 */

import { loadCodec } from './dns/message.ts'

/**
 * Loads it now. A process that watches must not meet its first alarm without: when it may open no more
 * files, Node 20 finds no package, and keeps to that until it is started anew.
 */
export async function loadPackages(): Promise<void> {
  // What is missing says so when it is needed.
  await Promise.allSettled([loadCodec()])
}
