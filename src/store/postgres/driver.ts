/**
 * The parts of the package `pg` that the store uses, declared by shape: our declarations name no types of a package
 * that a user may not have.
 *
 * @module
 */

import { MissingDependencyError } from '../../errors.ts'

export interface PgResult {
  readonly rows: readonly Readonly<Record<string, never>>[]
  readonly rowCount: number | null
}

export interface PgQuery {
  readonly text: string
  /** A named statement is prepared once per connection. */
  readonly name?: string
  readonly values?: readonly unknown[]
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown }
}

/** A connection of `pg`. */
export interface PgClient {
  // A text with several statements returns a list.
  query(query: PgQuery | string): Promise<PgResult | readonly PgResult[]>
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  removeListener(event: string, listener: (...args: never[]) => void): unknown
}

/** A connection borrowed from a pool. */
export interface PgLentClient extends PgClient {
  /** Returns it to the pool; `true` closes it instead. */
  release(broken?: boolean): void
}

/** The parts of a pool that are checked before use; a `Pool` of `pg` fits. */
export interface PostgresPool {
  connect(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  end(): Promise<void>
}

/** A `Pool` of `pg`. */
export interface PgPool extends PostgresPool {
  connect(): Promise<PgLentClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PgLentClient) => void): unknown
  removeListener(event: string, listener: (...args: never[]) => void): unknown
  end(): Promise<void>
}

/** A connection outside any pool. */
export interface PgOwnClient extends PgClient {
  connect(): Promise<unknown>
  end(): Promise<void>
}

interface PgModule {
  readonly Pool: new (config: object) => PgPool
  readonly Client: new (config: object) => PgOwnClient
}

/** Loaded on first use. @throws MissingDependencyError */
export async function loadPg(): Promise<PgModule> {
  try {
    const loaded = (await import('pg')) as unknown as PgModule & { default?: PgModule }
    return loaded.default ?? loaded
  } catch (error) {
    throw new MissingDependencyError('pg', { cause: error })
  }
}

/** Closes the socket without waiting for the server, which may be unreachable. */
export function cut(client: PgClient): void {
  const { connection } = client as { connection?: { stream?: { destroy?(): void } } }
  connection?.stream?.destroy?.()
}
