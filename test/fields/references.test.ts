import { expect, it } from 'vitest'
import { idField, tagField } from '../../src/fields/references.ts'
import { judge } from './table.ts'

it('an id is a whole number from 1 on that a double holds exactly', () => {
  for (const id of [1, Number.MAX_SAFE_INTEGER]) expect(judge(idField(), id)).toBe(id)
  for (const id of [0, 1.5, Number.MAX_SAFE_INTEGER + 1])
    expect(judge(idField(), id)).toMatch(/^(?:out_of_range|invalid): /)
  expect(idField().info).toMatchObject({ kind: 'integer', min: 1, description: 'Id' })
})

it('a tag has at most 64 characters, without the blanks around them', () => {
  const longest = 'a'.repeat(64)
  expect(judge(tagField(), ` ${longest} `)).toBe(longest)
  expect(judge(tagField(), `${longest}a`)).toMatch(/^out_of_range: /)
  expect(tagField().info).toMatchObject({ kind: 'string', max: 64, description: 'Tag' })
})
