import { expect, it } from 'vitest'
import { NotFoundError, StorageError } from '../../src/errors.ts'
import { chosenMonitors } from '../../src/page/public/public-facts.ts'

const page = { slug: 'status', title: 'Status', monitors: [1, 2, 3] }

/** The groups of an account whose second monitor cannot be had. */
function scope(error: Error): Parameters<typeof chosenMonitors>[0] {
  const get = (id: number) => (id === 2 ? Promise.reject(error) : Promise.resolve({ id }))
  return { monitors: { get }, incidents: {} } as never
}

it('a public page leaves out a monitor that was removed', async () => {
  const found = await chosenMonitors(scope(new NotFoundError('monitor')), page)
  expect(found.map(({ id }) => id)).toEqual([1, 3])
})

it('a public page never leaves out a monitor because the store does not answer', async () => {
  const broken = new StorageError('The disk is gone')
  await expect(chosenMonitors(scope(broken), page)).rejects.toBe(broken)
})
