import type { Records } from './records.ts'

/** A group of the contract whose functions each run in a transaction. */
export type Calls<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (records: Records, ...args: Args) => Promise<Result>
    : never
}
