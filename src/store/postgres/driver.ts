/**
 * What we call of the package `pg`, by its shape: our declarations name no types that a user lacks.
 *
 * @module
 */

import { isMissingPackage, MissingDependencyError } from '../../errors.ts'

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
  // Several statements in one text are answered by a list.
  query(query: PgQuery | string): Promise<PgResult | readonly PgResult[]>
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  removeListener(event: string, listener: (...args: never[]) => void): unknown
}

/** A connection that is lent by a pool. */
export interface PgLentClient extends PgClient {
  /** Gives it back; `true` ends it instead. */
  release(broken?: boolean): void
}

/** What is asked of a host's pool before it is used: a `Pool` of `pg` fits. */
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

/** A connection that belongs to nobody else. */
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
    throw isMissingPackage(error) ? new MissingDependencyError('pg', { cause: error }) : error
  }
}

/** Ends a connection without asking the other side, which may be gone without a word. */
export function cut(client: PgClient): void {
  const { connection } = client as { connection?: { stream?: { destroy?(): void } } }
  connection?.stream?.destroy?.()
}
