import type { MonitorRecord } from '../../src/model.ts'
import type { Store } from '../../src/store/store.ts'

/** Many monitors at a sixth of what the engine needs to create them, for tests of what it does with them. */
export async function makeCopies(
  store: Store,
  of: number,
  count: number,
  change: (n: number) => Partial<MonitorRecord['common']> = () => ({}),
): Promise<void> {
  const record = await store.monitors.get(of)
  if (record === undefined) throw new Error(`There is no monitor ${of} to copy`)
  for (let n = 0; n < count; n++)
    await store.monitors.create({ ...record, common: { ...record.common, ...change(n) } })
}
