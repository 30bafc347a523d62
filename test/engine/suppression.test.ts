import { expect, it } from 'vitest'
import { NotFoundError, StorageError } from '../../src/errors.ts'
import { suppressionOf } from '../../src/engine/rounds/suppression.ts'
import type { CachedMonitor } from '../../src/engine/monitors/monitor-cache.ts'
import type { MachineState } from '../../src/model.ts'
import { incident, machine, monitor } from '../../src/testing/store-suite/case.ts'

function child(): { readonly entry: CachedMonitor; readonly state: MachineState } {
  const { started_at } = incident()
  const open = { id: 1, started_at, cause_code: 'timeout', held: undefined }
  const state = machine({ state: 'down', incident: open })
  const { common, ...rest } = monitor({ machine: state })
  const record = { ...rest, id: 2, common: { ...common, depends_on: [1] } }
  return { entry: { record } as unknown as CachedMonitor, state }
}

it('a parent that is gone explains nothing; one that cannot be read is waited for a little', async () => {
  const { entry, state } = child()
  const gone = { get: () => Promise.reject(new NotFoundError('monitor')) }
  expect(await suppressionOf(gone, entry, state)).toBeUndefined()
  const broken = { get: () => Promise.reject(new StorageError('no answer')) }
  expect(await suppressionOf(broken, entry, state)).toMatchObject({
    reason: 'dependency',
    by: null,
  })
})
