/**
 * Names of queues, keys and channels on Redis. They are the contract between engines and probes of different
 * versions, and the basis of Redis ACL rules.
 *
 * @module
 */

export interface Names {
  /** In front of every key and channel. */
  readonly prefix: string
  /** Queue of the orders for a location. */
  orders(location: string): string
  /** Queue of the answers for one engine. */
  answers(engine: string): string
  /** Key of one job of a queue. */
  job(queue: string, id: string): string
  /** Sorted set of engines by the time of their last beat, in ms of Redis' clock. */
  readonly engines: string
  /** The beat of one engine. */
  engine(id: string): string
  /** Set of the ids of probes at a location. */
  probes(location: string): string
  /** The beat of one probe. */
  probe(location: string, id: string): string
  /** Channel on which probes of a location receive the ids of cancelled orders. */
  cancel(location: string): string
}

export function namesUnder(prefix: string): Names {
  return {
    prefix,
    orders: (location) => `orders-${plain(location)}`,
    answers: (engine) => `answers-${engine}`,
    job: (queue, id) => `${prefix}:${queue}:${id}`,
    engines: `${prefix}:engines`,
    engine: (id) => `${prefix}:engine:${id}`,
    probes: (location) => `${prefix}:probes:${plain(location)}`,
    probe: (location, id) => `${prefix}:probe:${plain(location)}:${id}`,
    cancel: (location) => `${prefix}:cancel:${plain(location)}`,
  }
}

/** A location may have any name; a colon would be read as a separator of the key. */
function plain(location: string): string {
  return encodeURIComponent(location)
}
